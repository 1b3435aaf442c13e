#!/usr/bin/env node
import { statSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

const here = (path) => new URL(path, import.meta.url);

/** When a file was written, or zero when it is not there. */
const writtenAt = (path) => statSync(here(path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

// The packed program starts in half the time. In a work tree it may be older than what was compiled
// since: then the modules themselves are right. In an installed package there is nothing to compare.
const bundle = '../dist/bundle/main.js';
const packedAt = writtenAt(bundle);
const rooms = ['..', '../../kustomize', '../../schema', '../../kong'];
const isFresh =
  packedAt > 0 && rooms.every((room) => writtenAt(`${room}/dist/.tsbuildinfo`) <= packedAt);

// A build or a diff lives for less than a second: machine code that took longer to make than it saves
// is a loss, so functions must have run for longer than usual before they are optimised.
const [verb, below] = process.argv.slice(2);
const isDeck = verb === 'gateway' && below !== 'run';
if (verb === 'build' || isDeck) setFlagsFromString('--interrupt-budget=600000');

// What a sync makes is kept to its end or gone at once: a larger nursery would hold only garbage.
if (isDeck) setFlagsFromString('--semi-space-growth-factor=1');

const { main, processContext } = await import(here(isFresh ? bundle : '../dist/index.js').href);
process.exitCode = await main(process.argv.slice(2), processContext());
