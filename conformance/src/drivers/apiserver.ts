import { jsonFiles, readJson } from '../data-file.ts';
import { type ConformanceCase, type Driver, fail, pass } from '../driver.ts';
import { Player } from './apiserver-player.ts';
import type { Transcript } from './apiserver-transcript.ts';

/** Transcripts of a real kube-apiserver, played against ours: each exchange is a case. */
export const driver: Driver = {
  suite: 'apiserver',
  async *cases(files) {
    for (const name of jsonFiles(files)) {
      const transcript = readJson(files, name) as Transcript;
      const player = new Player(transcript);
      try {
        yield* exchangesOf(transcript, player);
      } finally {
        await player.stop();
      }
    }
  },
};

function* exchangesOf(transcript: Transcript, player: Player): Generator<ConformanceCase> {
  for (const [index, exchange] of transcript.exchanges.entries()) {
    // Things done outside the API have no answer to compare.
    if (exchange.request === undefined) continue;
    yield {
      id: `${transcript.theme}/${String(index).padStart(2, '0')} ${exchange.name}`,
      feature: transcript.theme,
      async run() {
        const found = await player.play(index);
        return found === undefined ? pass : fail(found);
      },
    };
  }
}
