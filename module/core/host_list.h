/* Host lists: which hosts a server may connect to, as patterns in its configuration.
 *
 *   host:port host:port …     in a host * matches any characters and ? one; a port may be *
 *   *                         all hosts
 *
 * Patterns are compared as text, without regard to case: with a name as it was given, or with a numeric address
 * (10.0.0.7, fe80::1). No name is resolved here, so a pattern for names allows no address, and the reverse. */
#ifndef HOLDFAST_HOST_LIST_H
#define HOLDFAST_HOST_LIST_H

#include "core/bytes.h"

#include <stdint.h>

enum { PORT_MAX = 65535 };

/* Whether every word of the list is a valid pattern. */
bool host_list_is_sound(struct bytes list);

bool host_list_allows(struct bytes list, struct bytes host, int port);

/* False for what is not a port from 1 to PORT_MAX. */
bool host_port_read(struct bytes text, int64_t *port);

/* [fe80::1] is fe80::1. */
struct bytes host_without_brackets(struct bytes host);

#endif
