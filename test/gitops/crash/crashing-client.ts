import type { KubeClient } from '@waygate/kube';

/**
 * Where a process ends: at its n-th request that may change something, before it is sent or before its
 * answer is seen. To end at a read is to end after the write before it.
 */
export interface CrashPoint {
  readonly request: number;
  readonly isSent: boolean;
}

class Crashed extends Error {
  constructor() {
    super('the process is gone');
  }
}

/**
 * Makes a client end at one of its requests, as if its process had been killed there: nothing that it
 * wants to send afterwards leaves, and nothing that comes back is seen. Resolves with the request that
 * it was; never, when there are not so many.
 */
export function crashAt(client: KubeClient, point: CrashPoint): Promise<string> {
  const { transport } = client;
  const send = transport.send.bind(transport);
  let count = 0;
  let isGone = false;
  return new Promise((resolve) => {
    transport.send = async (request) => {
      if (isGone) throw new Crashed();
      const isStep = request.method !== 'GET' && !request.path.includes('/events');
      if (!isStep || ++count !== point.request) {
        const answer = await send(request);
        if (!isGone) return answer;
        answer.body.resume();
        throw new Crashed();
      }
      if (!point.isSent) isGone = true;
      else {
        const answer = await send(request);
        isGone = true;
        answer.body.resume();
      }
      resolve(`${request.method} ${request.path}${point.isSent ? ', sent' : ''}`);
      throw new Crashed();
    };
  });
}
