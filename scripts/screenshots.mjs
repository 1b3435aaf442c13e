// `npm run screenshots`: every page of the dashboard, dark and light, wide and phone, from the fixtures that
// the browser tests use. Into a directory (default: a new one below the system's temporary directory);
// `--docs` writes those that the documentation shows, too.
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runnerImport } from 'vite';
import { given } from './given.mjs';
import { root, setUp } from './setup.mjs';

const { values } = given('usage: npm run screenshots -- [--directory DIR] [--docs] [--only NAME]', {
  options: {
    directory: { type: 'string' },
    docs: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
});
setUp();
const directory = values.directory ?? mkdtempSync(join(tmpdir(), 'waygate-screenshots-'));
mkdirSync(directory, { recursive: true });
if (values.docs) mkdirSync(join(root, 'docs/images'), { recursive: true });

const testing = join(root, 'packages/dashboard/web/testing');
const { module } = await runnerImport(join(testing, 'scenes.ts'));
const { module: tools } = await runnerImport(join(root, 'test/dashboard/browser.ts'));
const browser = await tools.openBrowser();
const shapes = {
  wide: { width: 1360, height: 850 },
  phone: { width: 390, height: 844 },
};
try {
  for (const scene of module.scenes.filter(({ name }) => name.includes(values.only)))
    await shoot(scene);
} finally {
  await browser.close();
}
console.log(directory);

async function shoot(scene) {
  const server = await module.serveScene(scene);
  try {
    for (const [shape, viewport] of Object.entries(shapes)) {
      const page = await browser.newPage({ viewport, reducedMotion: 'reduce' });
      await page.goto(server.address + scene.path);
      await scene.ready(page);
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        const name = `${scene.name}-${colorScheme}-${shape}.png`;
        await page.screenshot({ path: join(directory, name) });
        if (values.docs && scene.documented?.includes(`${colorScheme}-${shape}`))
          await page.screenshot({ path: join(root, 'docs/images', `dashboard-${name}`) });
      }
      await page.close();
    }
  } finally {
    await server.stop();
  }
}
