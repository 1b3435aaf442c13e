// Packs the cases that are ours into conformance/cases, so that a clone has them:
//   node conformance/tools/pack.mjs CASES_DIRECTORY
// A case is ours when its input was written for it and a real program was recorded on that. Cases made
// of the test data of other projects stay outside; cases/elsewhere.json names the files they are in.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';

const from = process.argv[2];
if (from === undefined) {
  console.error('usage: pack.mjs CASES_DIRECTORY');
  process.exit(64);
}
const to = join(import.meta.dirname, '..', 'cases');

const all = () => true;
/** By suite: which files are ours. A suite that is not here is not. */
const ours = {
  apiserver: all,
  'client-go': all,
  'client-go-more': all,
  deck: all,
  flux: all,
  helm: all,
  kic: (name) => /^(admission|authored-)/.test(name),
  'kic-legacy': (name) => /^(admission|authored|dbmode)/.test(name),
  kong: all,
  kustomize: (name) => name === 'real.json',
  nginx: all,
  passthrough: all,
};

/** In these suites it is each case that says where its input is from. */
const oursBySource = {
  flux: ({ source = 'authored' }) => /^(authored|observed on|generated with)\b/.test(source),
};

const elsewhere = {};
mkdirSync(to, { recursive: true });
for (const suite of readdirSync(from).sort()) {
  const names = readdirSync(join(from, suite), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('README'))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(from, suite).length + 1))
    .sort();
  const lines = [];
  for (const name of names) {
    const text = readFileSync(join(from, suite, name), 'utf8');
    if (ours[suite]?.(name) !== true) {
      noteElsewhere(suite, name);
      continue;
    }
    const kept = keepOurs(suite, text);
    if (kept !== text) noteElsewhere(suite, name);
    lines.push(JSON.stringify([name, kept]));
  }
  if (lines.length === 0) continue;
  const packed = gzipSync(`${lines.join('\n')}\n`, { level: constants.Z_BEST_COMPRESSION });
  writeFileSync(join(to, `${suite}.ndjson.gz`), packed);
  console.log(`${suite}: ${lines.length} of ${names.length} files, ${packed.length} bytes`);
}
writeFileSync(join(to, 'elsewhere.json'), `${JSON.stringify(elsewhere, null, 2)}\n`);

function noteElsewhere(suite, name) {
  elsewhere[suite] ??= [];
  elsewhere[suite].push(name);
}

/** The file's text, or what is ours of it, as JSON reads it: drivers see the same either way. */
function keepOurs(suite, text) {
  const isOurs = oursBySource[suite];
  if (isOurs === undefined) return text;
  const data = JSON.parse(text);
  if (!Array.isArray(data) || data.every(isOurs)) return text;
  return `${JSON.stringify(data.filter(isOurs), null, 1)}\n`;
}
