/* The module's clock: the server's, kept from running backwards; see core/clock.h. */
#ifndef HOLDFAST_SERVER_CLOCK_H
#define HOLDFAST_SERVER_CLOCK_H

#include <stdint.h>

int64_t server_now_us(void);
int64_t server_now_ms(void);

/* How far it is behind the wall clock after that was set; negative when it is ahead. */
int64_t server_clock_behind_ms(void);

/* holdfast.clock-offset-ms, which is added. */
extern long long clock_offset_ms;

#endif
