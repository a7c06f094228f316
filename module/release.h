/* The version of the module, for the server, INFO, HOLDFAST.VERSION and the tarball of 'make dist'; it is
 * written nowhere else. deploy/CHANGELOG.md says how versions are counted. */
#ifndef HOLDFAST_RELEASE_H
#define HOLDFAST_RELEASE_H

#define RELEASE_TEXT "1.0.0"

/* As the server wants it: two digits each for minor and patch. */
enum { RELEASE_NUMBER = 10000 };

#endif
