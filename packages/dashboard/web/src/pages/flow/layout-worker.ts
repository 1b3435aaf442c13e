import { type LayoutQuestion, layOut } from './layout.ts';

/** The question, numbered: an answer to an older one is not wanted any more. */
interface NumberedQuestion {
  readonly number: number;
  readonly question: LayoutQuestion;
}

addEventListener('message', ({ data }: MessageEvent<NumberedQuestion>) => {
  postMessage({ number: data.number, answer: layOut(data.question) });
});
