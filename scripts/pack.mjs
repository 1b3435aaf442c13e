// `npm run pack [DIR]`: the package `waygate` as one tarball, with all that the program needs in it and no
// dependencies. `npm install ./waygate-*.tgz` in an empty directory is all that it takes to run it there.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { given } from './given.mjs';
import { buildTypes, root, setUp } from './setup.mjs';
import { thirdPartyNotices } from './third-party.mjs';
import { bundleWhole } from './whole-bundle.mjs';

const cli = join(root, 'packages/cli');
/** What a user of the package's one module sees of its types. */
const types = ['index', 'context', 'main', 'process-context'];

/** Makes the package in an empty directory. */
export async function makePackage(directory) {
  const modules = await bundleWhole(directory);
  for (const room of readdirSync(join(root, 'packages'))) {
    const data = join(root, 'packages', room, 'data');
    if (existsSync(data)) cpSync(data, join(directory, 'rooms', room, 'data'), { recursive: true });
  }
  const page = 'dashboard/dist/web';
  cpSync(join(root, 'packages', page), join(directory, 'rooms', page), { recursive: true });
  cpSync(join(cli, 'bin'), join(directory, 'bin'), { recursive: true });
  chmodSync(join(directory, 'bin/waygate.js'), 0o755);
  for (const name of types) {
    const text = readFileSync(join(cli, `dist/${name}.d.ts`), 'utf8');
    const told = text
      .replaceAll(/\.ts(['"])/g, '.js$1')
      .replace(/\/\/# sourceMappingURL.*\s*$/, '');
    writeFileSync(join(directory, `dist/${name}.d.ts`), told);
  }
  for (const name of ['LICENSE', 'CHANGELOG.md']) cpSync(join(root, name), join(directory, name));
  cpSync(join(cli, 'README.md'), join(directory, 'README.md'));
  writeFileSync(join(directory, 'THIRD-PARTY.txt'), thirdPartyNotices(modules));
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
}

function manifest() {
  const { name, version, description, license, repository, type, engines, bin } = JSON.parse(
    readFileSync(join(cli, 'package.json'), 'utf8'),
  );
  return {
    name,
    version,
    description,
    license,
    repository,
    type,
    engines,
    bin,
    exports: { '.': { types: './dist/index.d.ts', default: './dist/bundle/main.js' } },
    files: ['bin', 'dist', 'rooms', 'CHANGELOG.md', 'THIRD-PARTY.txt'],
  };
}

async function pack(destination) {
  const staging = mkdtempSync(join(tmpdir(), 'waygate-package-'));
  try {
    await makePackage(staging);
    mkdirSync(destination, { recursive: true });
    const { status, stdout, stderr } = spawnSync(
      'npm',
      ['pack', '--json', '--ignore-scripts', '--pack-destination', destination],
      { cwd: staging, encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`npm pack: ${stderr}`);
    const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(stdout);
    const [packed, unpacked] = [size, unpackedSize].map((bytes) => (bytes / 1e6).toFixed(2));
    console.log(join(destination, filename));
    console.error(`${packed} MB, ${entryCount} files, ${unpacked} MB when installed`);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [directory = join(root, 'dist')] = given('usage: npm run pack [DIR]', {
    most: 1,
  }).positionals;
  setUp();
  buildTypes();
  await pack(resolve(directory));
}
