#!/bin/bash
# Metrics, alerts and the dashboard, with the distribution's prometheus and prometheus-redis-exporter. Answers in TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/scripts/tap.sh

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

if ! have monitoring; then
    skip 'the packages prometheus and prometheus-redis-exporter are not here, and cannot be had' monitoring
    done_testing
    exit 0
fi

check() { "$@" >"$place/log" 2>&1; }
holds 'promtool accepts the rules' check promtool check rules deploy/monitoring/holdfast.rules.yml
holds 'promtool accepts the scrape configuration' check promtool check config deploy/monitoring/prometheus.yml
promtool test rules tests/monitoring/alerts.yml >"$place/log" 2>&1
same "$(grep -E 'SUCCESS|FAILED' "$place/log" | tr -d ' ')" SUCCESS 'each alert is set off by what it is about, and by nothing else'
grep -q FAILED "$place/log" && sed 's/^/# /' "$place/log"
untested=$(grep -oP '(?<=alert: )\w+' deploy/monitoring/holdfast.rules.yml | sort | uniq |
    while read -r alert; do [ "$(grep -c "alertname: $alert" tests/monitoring/alerts.yml)" -ge 2 ] || echo "$alert"; done)
same "$untested" '' 'each alert has a test in which it is silent, and one in which it is not'

python3 tests/monitoring/check.py >"$place/check" 2>"$place/errors"
while IFS= read -r line; do
    case $line in
    'ok '*) told ok "${line#* - }" ;;
    'not ok '*) told 'not ok' "${line#* - }" ;;
    '#'*) echo "$line" ;;
    esac
done <"$place/check"
if [ -s "$place/errors" ]; then
    told 'not ok' 'the check runs to its end'
    sed 's/^/# /' "$place/errors"
fi
done_testing
