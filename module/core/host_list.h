/* Host lists: which hosts a server may connect to, as patterns in its configuration.
 *
 *   host:port host:port …     in a host * stands for any characters and ? for one; a port may be *
 *   *                         everybody
 *
 * A pattern is compared with what is there as text, in any case: with a name as somebody wrote it, or with an address as
 * numbers write it (10.0.0.7, fe80::1). No name is ever looked up here, so a pattern of a name allows no address, and a
 * pattern of addresses no name. */
#ifndef HOLDFAST_HOST_LIST_H
#define HOLDFAST_HOST_LIST_H

#include "core/bytes.h"

enum { PORT_MAX = 65535 };

/* Whether every word of the list is a valid pattern. */
bool host_list_is_sound(struct bytes list);

bool host_list_allows(struct bytes list, struct bytes host, int port);

#endif
