import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Benchmark, Row } from './benchmark.ts';
import { toTable } from './report.ts';

const help = `Measures Waygate beside its peers, in one run, as ratios.

  npm run bench                     list the benchmarks
  npm run bench -- NAME...          run them ('all' runs every one)
  npm run bench -- NAME --quick     small inputs: does it run
  npm run bench -- NAME --json FILE the rows as JSON
`;

const directory = join(dirname(fileURLToPath(import.meta.url)), 'benchmarks');

process.exitCode = await main();

async function main(): Promise<number> {
  const given = parse();
  if (given === undefined) return 64;
  const { values, positionals } = given;
  const known = benchmarkNames();
  if (values.help || positionals.length === 0) {
    process.stdout.write(`${help}\nBenchmarks: ${known.join(', ')}\n`);
    return 0;
  }
  const names = positionals.includes('all') ? known : positionals;
  const results: { name: string; rows: readonly Row[] }[] = [];
  for (const name of names) {
    if (!known.includes(name)) {
      process.stderr.write(`bench: there is no benchmark ${name}; there are ${known.join(', ')}\n`);
      return 64;
    }
    const benchmark = await loadBenchmark(name);
    process.stderr.write(`» ${benchmark.title}\n`);
    const log = (line: string) => process.stderr.write(`  ${line}\n`);
    const rows = await benchmark.run({ quick: values.quick === true, log });
    results.push({ name, rows });
    process.stdout.write(`\n## ${benchmark.title}\n\n${machine()}\n\n${toTable(rows)}\n`);
  }
  if (values.json !== undefined)
    await writeFile(values.json, `${JSON.stringify({ machine: machine(), results }, null, 1)}\n`);
  return 0;
}

/** What was asked for; a wrong use is told, and is undefined. */
function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: 'boolean' },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    const [what] = (error instanceof Error ? error.message : String(error)).split('. ');
    process.stderr.write(`bench: ${what}\n\n${help}`);
    return undefined;
  }
}

/** Benchmark X is `benchmarks/X.ts`. */
function benchmarkNames(): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith('.js'))
    .map((name) => name.slice(0, -'.js'.length))
    .sort();
}

/** Loaded by name, so that one benchmark does not carry another's modules in its memory figures. */
async function loadBenchmark(name: string): Promise<Benchmark> {
  const module: { benchmark: Benchmark } = await import(
    pathToFileURL(join(directory, `${name}.js`)).href
  );
  return module.benchmark;
}

function machine(): string {
  const model = cpus()[0]?.model ?? 'unknown processor';
  return `${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.versions.node}`;
}
