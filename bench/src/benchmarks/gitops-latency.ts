import type { Benchmark, Row } from '../benchmark.ts';
import { GitOpsStage } from '../gitops/stage.ts';

/** A chain of Kustomizations that each wait for the one before. Flux looks every 30 seconds a link. */
export const benchmark: Benchmark = {
  name: 'gitops-latency',
  title: 'From a commit to Ready through a chain of ten dependencies',
  async run({ quick, log }) {
    const length = 10;
    const rounds = quick ? 2 : 10;
    const stage = await GitOpsStage.start();
    try {
      const links = Array.from({ length }, (_one, index) => `link-${index}`);
      const files = (value: string) =>
        Object.fromEntries(
          links.map((link) => [
            `${link}/map.yaml`,
            `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${link}}\ndata: {value: ${value}}\n`,
          ]),
        );
      const first = stage.commit(files('start'));
      await stage.runControllers();
      for (const [index, link] of links.entries()) {
        const before = links[index - 1];
        const dependsOn = before === undefined ? [] : [{ name: before }];
        await stage.createKustomization(link, { path: `./${link}`, wait: true, dependsOn });
      }
      await stage.untilApplied(first);
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const started = performance.now();
        await stage.untilApplied(stage.commit(files(`round-${round}`)));
        times.push((performance.now() - started) / 1000);
      }
      times.sort((left, right) => left - right);
      const median = times[Math.floor(times.length / 2)] ?? 0;
      log(times.map((seconds) => seconds.toFixed(2)).join(' '));
      const row: Row = {
        name: 'commit to ready, median',
        n: length,
        unit: 's',
        ours: median,
        goal: { text: 'under 2 s', isMet: median < 2 },
      };
      return [
        row,
        { name: 'commit to ready, worst', n: length, unit: 's', ours: times.at(-1) ?? 0 },
      ];
    } finally {
      await stage[Symbol.asyncDispose]();
    }
  },
};
