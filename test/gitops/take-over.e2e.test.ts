import { expect, test } from 'vitest';
import { TakeOver } from './take-over.ts';

// A cluster whose Flux manages itself: its Kustomization has the Deployments of its own controllers in it, with one
// replica each. Something stands in for the nodes: a controller runs while its Deployment wants a replica.

test('from a Flux that manages itself to Waygate and back, under commits: nothing is written anew', {
  timeout: 240_000,
}, async () => {
  await using world = await TakeOver.start();
  try {
    await world.lives('1', 'flux');
    const before = await world.app();

    // Ours runs beside it, and stands aside as long as Flux acts.
    await world.says('waygate', 'stands aside');
    const look = await world.migrate('--dry-run');
    expect(look.stdout).toContain('Kustomization flux-system/flux-system manages Flux itself');
    expect(world.running()).toEqual(['flux', 'waygate']);

    const forward = await world.migrate('--yes');
    expect(forward.code, forward.stderr).toBe(0);
    await world.runs('waygate');
    // The switch alone writes nothing: the same object, in the same version.
    await world.isReconciledAgain();
    expect(await world.app()).toEqual(before);

    // A commit is live, and the replicas that it wants for Flux are not given.
    await world.commit('2');
    await world.lives('2', 'waygate');
    expect(await world.replicas()).toEqual({ 'source-controller': 0, 'kustomize-controller': 0 });
    expect(world.running()).toEqual(['waygate']);
    expect((await world.migrate('--yes')).stdout).toContain('Nothing is left to do');

    const back = await world.migrate('--rollback', '--yes');
    expect(back.code, back.stderr).toBe(0);
    await world.runs('flux');
    await world.commit('3');
    await world.lives('3', 'flux');
    expect(await world.replicas()).toEqual({ 'source-controller': 1, 'kustomize-controller': 1 });
    expect((await world.app()).uid).toBe(before.uid);
  } catch (error) {
    throw new Error(world.output(), { cause: error });
  }
});
