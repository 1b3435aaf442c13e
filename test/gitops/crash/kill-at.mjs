// Loaded before the program by `node --import`: kills its process at one of its steps. Which one is in
// the address of this module: `kill-at.mjs?step=17&log=FILE`. A step is a request that may change
// something, a change of the disk, or a start of another program, each before and after it was done.
import childProcess from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

const { searchParams } = new URL(import.meta.url);
const last = Number(searchParams.get('step'));
const log = searchParams.get('log') ?? '/dev/null';
let steps = 0;

function step(what) {
  steps += 1;
  if (steps !== last) return;
  fs.writeFileSync(log, what);
  process.kill(process.pid, 'SIGKILL');
}

const { request } = http;
http.request = (options, ...rest) => {
  const { method = 'GET', path } = options;
  const isChange = method !== 'GET' && method !== 'HEAD' && !String(path).includes('/events');
  if (isChange) step(`before ${method} ${path}`);
  const sent = request(options, ...rest);
  if (isChange) sent.once('response', () => step(`after ${method} ${path}`));
  return sent;
};

for (const name of ['rename', 'rm', 'symlink', 'mkdir', 'writeFile', 'link', 'copyFile']) {
  const original = fs.promises[name];
  fs.promises[name] = async (...args) => {
    step(`before ${name} ${args[0]}`);
    const result = await original(...args);
    step(`after ${name} ${args[0]}`);
    return result;
  };
}

const { createWriteStream } = fs;
fs.createWriteStream = (path, ...options) => {
  const stream = createWriteStream(path, ...options);
  stream.once('ready', () => step(`in ${path}`));
  stream.once('finish', () => step(`written ${path}`));
  return stream;
};

const { spawn } = childProcess;
childProcess.spawn = (command, args, ...options) => {
  const what = [command, ...(Array.isArray(args) ? args : [])].join(' ');
  step(`before ${what}`);
  const child = spawn(command, args, ...options);
  child.once('spawn', () => step(`during ${what}`));
  child.once('close', () => step(`after ${what}`));
  return child;
};

syncBuiltinESMExports();
