import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type NginxOptions, nginxGatewayObjects } from '@waygate/ingress';
import type { KubeObject } from '@waygate/schema';
import { printYaml } from '@waygate/text';

/** Writes Gateway API objects with KongPlugins for every Ingress; returns the files and what is not in them. */
export async function writeGatewayFiles(
  directory: string,
  objects: readonly KubeObject[],
  options: NginxOptions,
  gateway: string | undefined,
): Promise<{ readonly files: readonly string[]; readonly notes: readonly string[] }> {
  const made = nginxGatewayObjects(objects, options, gateway === undefined ? {} : { gateway });
  const files: string[] = [];
  const notes: string[] = [];
  const write = async (path: string, text: string) => {
    const file = join(directory, path);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, text);
    files.push(file);
  };
  await write('gateway.yaml', printYaml(made.gateway));
  for (const { namespace, name, objects: own, notes: left } of made.ingresses) {
    for (const note of left) notes.push(`${namespace}/${name}: ${note}`);
    if (own.length === 0) continue;
    const head = left.map((note) => `# Not here: ${note}\n`).join('');
    const body = own.map((object) => printYaml(object)).join('---\n');
    await write(join(namespace || 'default', `${name}.yaml`), head + body);
  }
  return { files, notes };
}
