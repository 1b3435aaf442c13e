// Run first by a process that lives for long and is at rest for most of that: what it takes then is what counts.
const { setFlagsFromString } = require('node:v8');

// Node.js brings the code of its own modules along, but ready made only for its own flags: so they are loaded before
// these are changed.
for (const name of [
  'async_hooks',
  'child_process',
  'crypto',
  'dns',
  'fs/promises',
  'http',
  'http2',
  'https',
  'net',
  'os',
  'perf_hooks',
  'stream/promises',
  'timers/promises',
  'tls',
  'url',
  'util',
  'vm',
  'worker_threads',
  'zlib',
])
  require(`node:${name}`);

// What it holds it holds for long, and at rest it makes little: room for more would stay empty.
setFlagsFromString('--semi-space-growth-factor=1');
// Most of its code runs a few times, at the start. Machine code of that would never be used again, and stay; what is
// used all the time is still optimised.
setFlagsFromString('--no-sparkplug --interrupt-budget=1000000');
