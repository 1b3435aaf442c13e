import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient, loadConfig } from '@waygate/kube';
import { expect, test } from 'vitest';
import { start, waygate } from '../real/processes.ts';

const canMount = process.platform === 'linux' && process.getuid?.() === 0;

const manifest = (value: string) => `apiVersion: v1
kind: ConfigMap
metadata: {name: hello, namespace: default}
data: {value: "${value}"}
`;

const configMaps = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
} as const;

test.skipIf(!canMount)(
  'waygate up lives through a full disk, with its state inside what it follows',
  async () => {
    const disk = mkdtempSync(join(tmpdir(), 'waygate-full-up-'));
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'tmpfs', disk]).status).toBe(0);
    const source = join(disk, 'source');
    mkdirSync(source);
    writeFileSync(join(source, 'hello.yaml'), manifest('one'));
    const up = start(process.execPath, [
      waygate,
      'up',
      source,
      '--data-dir',
      join(source, '.state'),
    ]);
    let client: KubeClient | undefined;
    try {
      await expect.poll(() => up.output(), { timeout: 30_000 }).toMatch(/What changes/);
      client = new KubeClient(
        await loadConfig({ kubeconfig: join(source, '.state', 'kubeconfig'), environment: {} }),
      );
      const maps = client.resource<{ metadata: { name: string }; data?: { value?: string } }>(
        configMaps,
      );
      const value = async () =>
        (await maps.get('hello', { namespace: 'default' }).catch(() => undefined))?.data?.value;
      await expect.poll(value, { timeout: 20_000 }).toBe('one');
      const filler = openSync(join(disk, 'filler'), 'w');
      expect(() => {
        for (;;) writeSync(filler, Buffer.alloc(4096, 1));
      }).toThrow('ENOSPC');
      closeSync(filler);
      const big = { metadata: { name: 'big' }, data: { value: 'x'.repeat(20_000) } };
      await expect(maps.create(big, { namespace: 'default' })).rejects.toMatchObject({
        statusCode: 507,
      });
      const gateway = /Gateway +(http:\S+)/.exec(up.output())?.[1] ?? '';
      expect((await fetch(gateway)).status).toBe(404);
      expect(await value()).toBe('one');
      rmSync(join(disk, 'filler'));
      writeFileSync(join(source, 'hello.yaml'), manifest('two'));
      await expect.poll(value, { timeout: 20_000 }).toBe('two');
      expect(up.process.exitCode).toBeNull();
      // Each save is applied once: what is written to the state wakes nobody.
      expect(up.output().match(/ReconciliationSucceeded/g)?.length ?? 0).toBeLessThan(5);
    } finally {
      await client?.close();
      await up.stop();
      spawnSync('umount', ['-l', disk]);
      rmSync(disk, { recursive: true, force: true });
    }
  },
  90_000,
);
