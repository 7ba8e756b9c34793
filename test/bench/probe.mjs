// Loaded into every measured process by `--import`. Reports the cost of the process over the IPC channel when asked, and does nothing in
// between.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const MILLISECOND = 1e6;
let delay;

const answers = {
  usage: () => {
    const { user, system } = process.cpuUsage();
    return { cpu: user + system, rss: process.memoryUsage.rss() };
  },
  watchLoop: () => {
    delay ??= monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    delay.reset();
    return {};
  },
  /** The timer itself is 1 ms late by design. */
  longestStall: () => delay.max / MILLISECOND - 1,
};

// Processes that this one starts also load this file, but their IPC channel belongs to it and not to the benchmark.
const isMeasured = process.env.BENCH_MEASURED === '1';
delete process.env.BENCH_MEASURED;

if (isMeasured && process.send !== undefined) {
  process.on('message', (question) => {
    const answer = answers[question]?.();
    if (answer !== undefined) process.send(answer);
  });
  process.channel?.unref();
}

// On a slow server, a connection may wait more than 5 s for its next request. node:http would close it as idle.
const BEGUN = 'http.server.request.start';
const keepConnections = ({ server }) => {
  server.keepAliveTimeout = 60_000;
  unsubscribe(BEGUN, keepConnections);
};
subscribe(BEGUN, keepConnections);

const file = process.env.BENCH_USAGE_FILE;
if (file !== undefined) {
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    writeFileSync(file, JSON.stringify({ cpu: userCPUTime + systemCPUTime, maxRSS }));
  });
}
