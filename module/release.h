/* The version of the module, in this place alone: the server is told, INFO and HOLDFAST.VERSION show it, and
 * 'make dist' names its tarball by it. deploy/CHANGELOG.md says how versions are counted. */
#ifndef HOLDFAST_RELEASE_H
#define HOLDFAST_RELEASE_H

#define RELEASE_TEXT "1.0.0"

/* As the server wants it: two digits each for minor and patch. */
enum { RELEASE_NUMBER = 10000 };

#endif
