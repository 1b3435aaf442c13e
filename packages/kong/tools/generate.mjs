// Makes data/generated/kong-3.9-schemas.json of the schemas that a Kong serves, one file each:
//   node packages/kong/tools/generate.mjs FACTS_DIRECTORY
// where FACTS_DIRECTORY has them in kong/NAME.json, as GET /schemas/NAME answers, without prose.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const facts = process.argv[2];
if (facts === undefined) {
  console.error('usage: generate.mjs FACTS_DIRECTORY');
  process.exit(64);
}
const folder = join(facts, 'kong');
const lines = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .map((name) => {
    const schema = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return `${JSON.stringify(name.slice(0, -'.json'.length))}: ${JSON.stringify(schema)}`;
  });
writeFileSync(
  join(import.meta.dirname, '../data/generated/kong-3.9-schemas.json'),
  `{\n${lines.join(',\n')}\n}\n`,
);
