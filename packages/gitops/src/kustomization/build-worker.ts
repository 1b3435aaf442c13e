// A thread that builds. Started by `build-pool.ts`, from the compiled file.
import { parentPort } from 'node:worker_threads';
import { messageOf } from '../gitops-error.ts';
import { buildManifests } from './build-manifests.ts';
import { type BuildAnswer, type BuildRequest, readPathsOf } from './build-message.ts';
import { unpackTree } from './packed-tree.ts';

parentPort?.on('message', async (request: BuildRequest) => {
  parentPort?.postMessage(await answer(request));
});

async function answer(request: BuildRequest): Promise<BuildAnswer> {
  const { tree, variablesProblem, ...rest } = request;
  const variablesError = variablesProblem === undefined ? undefined : new Error(variablesProblem);
  try {
    const built = await buildManifests({ ...rest, files: unpackTree(tree), variablesError });
    const { objects, digest } = built;
    return { kind: 'built', objects, digest, reads: readPathsOf(built.reads) };
  } catch (error) {
    return { kind: 'failed', message: messageOf(error) };
  }
}
