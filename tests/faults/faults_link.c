/* What befalls connections, of clients and of replicas. */
#include "faults.h"

static void put_proxies_up(struct trial *trial) {
    trial->stage.entrance = proxy_open(0, trial->seed + 1);
    trial->stage.link = proxy_open(0, trial->seed + 2);
}

static void trouble(struct trial *trial, struct trouble kind, int ms) {
    proxy_trouble(trial->stage.entrance, kind);
    proxy_trouble(trial->stage.link, kind);
    trial_pause_ms(trial, ms, ms);
}

static void trouble_connections(struct trial *trial) {
    trouble(trial, (struct trouble){.delayed = 200, .delay_ms = 60}, 800);
    trouble(trial, (struct trouble){.halved = 500}, 800);
    trouble(trial, (struct trouble){.dropped = 20}, 1000);
    trouble(trial, (struct trouble){.delayed = 100, .halved = 100, .dropped = 10, .delay_ms = 100}, 1500);
    trouble(trial, (struct trouble){0}, 0);
}

const struct fault proxy_fault = {.name = "proxy",
                                  .promise = NOTHING_LOST,
                                  .silence = true,
                                  .settings = "",
                                  .servers = 2,
                                  .prepare = put_proxies_up,
                                  .strike = trouble_connections};
