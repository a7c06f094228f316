#!lua flags=no-writes,allow-stale,allow-oom
-- All of 'INFO holdfast' for prometheus-redis-exporter, under the names and in the units that Prometheus expects:
--
--   prometheus-redis-exporter -script holdfast.lua
--
-- The exporter gives each pair of name and value as redis_script_values{key="NAME"}. A name here is a whole series, with its labels;
-- the scrape configuration in prometheus.yml makes series of them. Times are in seconds, counters end in _total, and what INFO shows as
-- le_…, count and sum is a histogram. A user for the exporter needs INFO, EVAL and, for findings, HOLDFAST.DOCTOR.

-- The last word of a name tells that it only grows. All else goes up and down.
local counters = {}
for word in ([[answered breaks changes commands deaths deletes done dropped duplicates examined expiries failed gets grants handoffs
               malformed misfit puts redeliveries redrives refusals refused releases renewals rows steps told transactions updates
               waits]]):gmatch('%S+') do
    counters[word] = true
end
local counters_by_name = {copies_bytes = true, given_back = true}

-- The bounds of every histogram in milliseconds: those that INFO leaves out hold as many as the last one that it shows.
local bounds = {}
for power = 0, 22 do bounds[#bounds + 1] = 2 ^ power end

local series = {}

local function add(name, value, labels)
    series[#series + 1] = 'holdfast_' .. name .. (labels or '')
    series[#series + 1] = string.format('%.15g', value)
end

local function label(name, value) return '{' .. name .. '="' .. value .. '"}' end

local function add_histogram(name, text)
    local parts = {}
    for part, number in text:gmatch('([%w_]+)=(%d+)') do parts[part] = tonumber(number) end
    name = name:gsub('_ms$', '_seconds')
    local reached = 0
    for _, bound in ipairs(bounds) do
        reached = parts[string.format('le_%d', bound)] or reached
        add(name .. '_bucket', reached, label('le', string.format('%.15g', bound / 1000)))
    end
    add(name .. '_bucket', parts.count, label('le', '+Inf'))
    add(name .. '_count', parts.count)
    add(name .. '_sum', parts.sum / 1000)
end

-- Names with a part that is better a label.
local labelled = {
    {'^refused_class_(%w+)$', 'refusals_by_class_total', 'class'},
    {'^refused_(%w+)$', 'refusals_by_code_total', 'code'},
    {'^table_queries_(%w+)$', 'table_queries_total', 'way'},
    {'^copies_failed_(%w+)$', 'copies_failed_by_reason_total', 'reason'},
}

local function add_labelled(name, value)
    for _, row in ipairs(labelled) do
        local part = name:match(row[1])
        if part then
            add(row[2], value, label(row[3], part))
            return true
        end
    end
    return false
end

local function add_number(name, value)
    if add_labelled(name, value) then return end
    if name == 'refused' then name = 'refusals' end
    if name:match('_ms$') then
        add(name:gsub('_ms$', '_seconds'), value / 1000)
    elseif counters_by_name[name] or counters[name:match('[^_]+$')] then
        add(name .. '_total', value)
    else
        add(name, value)
    end
end

for name, text in redis.call('INFO', 'holdfast'):gmatch('holdfast_([%w_]+):([^\r\n]*)') do
    if name == 'version' then
        add('info', 1, label('version', text))
    elseif text:match('^le_') then
        add_histogram(name, text)
    elseif tonumber(text) then
        add_number(name, tonumber(text))
    end
end

local findings = redis.pcall('HOLDFAST.DOCTOR')
if not findings.err then
    local count = {danger = 0, warning = 0, note = 0}
    for _, finding in ipairs(findings) do count[finding[2]] = count[finding[2]] + 1 end
    for severity, number in pairs(count) do add('findings', number, label('severity', severity)) end
end
return series
