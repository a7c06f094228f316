/* The settings of the server side, in one table; those of a data type are in a table of its own. */
#ifndef HOLDFAST_SERVER_SETTINGS_H
#define HOLDFAST_SERVER_SETTINGS_H

#include "server/base/settings.h"

extern const struct setting server_settings[];

#endif
