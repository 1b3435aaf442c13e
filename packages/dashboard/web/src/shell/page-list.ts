import type { IconName } from '../parts/icon.tsx';

/** The pages in the order of the way from a commit to a request, and the letter behind `g`. */
export const pageList = [
  { path: '/flow', title: 'Flow', icon: 'flow', letter: 'f' },
  { path: '/routes', title: 'Routes', icon: 'routes', letter: 'r' },
  { path: '/trace', title: 'Trace', icon: 'trace', letter: 't' },
  { path: '/changes', title: 'Changes', icon: 'changes', letter: 'c' },
  { path: '/preview', title: 'Preview', icon: 'preview', letter: 'v' },
  { path: '/problems', title: 'Problems', icon: 'problems', letter: 'p' },
] as const satisfies readonly {
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  readonly letter: string;
}[];
