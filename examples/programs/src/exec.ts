import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { KubeClient } from '@waygate/kube';
import type { Print } from './cluster.ts';

/**
 * Runs a command in a Pod, and talks to one of its ports through a port of this machine. The embedded API
 * runs no containers, so this one wants a cluster: `main.ts exec NAMESPACE POD PORT` takes the kubeconfig's.
 */
export async function execAndForward(
  client: KubeClient,
  target: { readonly namespace: string; readonly pod: string; readonly port: number },
  print: Print,
): Promise<void> {
  const pod = client.pod(target.namespace, target.pod);

  const { stdout, exitCode } = await pod.run(['cat', '/etc/hostname']);
  print(`${stdout.trim()} (${exitCode})`);

  // With the streams in hand, for what is long or waits for input.
  const session = await pod.exec({ command: ['sort'], stdin: true });
  session.stdin.end('b\na\n');
  print((await text(session.stdout)).replaceAll('\n', ' ').trim());
  await session.exitCode;

  const forwarder = await pod.portForward(target.port);
  try {
    const socket = connect(forwarder.port, '127.0.0.1');
    socket.write('GET / HTTP/1.0\r\n\r\n');
    print((await text(socket)).split('\r\n')[0] ?? '');
  } finally {
    await forwarder.close();
  }
}
