#!/usr/bin/env node
import { main, processContext } from '../dist/index.js';

process.exitCode = await main(process.argv.slice(2), processContext());
