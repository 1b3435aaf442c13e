import { KubeClient, loadConfig } from '@waygate/kube';
import { execAndForward } from './exec.ts';
import { programs } from './programs.ts';

const [name = '', ...rest] = process.argv.slice(2);
const program = programs[name];
if (program !== undefined) await program(console.log);
else if (name === 'exec' && rest.length === 3) {
  const [namespace = '', pod = '', port] = rest;
  const client = new KubeClient(await loadConfig());
  await execAndForward(client, { namespace, pod, port: Number(port) }, console.log);
  await client.close();
} else {
  console.error(`usage: main.js ${Object.keys(programs).join(' | ')} | exec NAMESPACE POD PORT`);
  process.exitCode = 64;
}
