import { cacheRows } from './cache-rows.ts';
import { queueRows } from './queue-rows.ts';

// Measures one group of rows, and sends them to the process that started this one.

const [, , group, count] = process.argv;
const measure = group === 'cache' ? cacheRows : queueRows;
const rows = await measure(Number(count), (line) => console.log(line));
process.send?.(rows);
process.disconnect?.();
