import type { Session } from '../../../src/protocol/pages.ts';
import type { IconName } from '../parts/icon-name.ts';

/** A page that can be gone to from everywhere. */
export interface ListedPage {
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  /** Behind `g`. */
  readonly letter: string;
  /** Only those who have something to do there are offered it. */
  readonly isOffered?: (session: Session) => boolean;
}

/** The pages in the order of the way from a commit to a request. */
const allPages: readonly ListedPage[] = [
  { path: '/flow', title: 'Flow', icon: 'flow', letter: 'f' },
  { path: '/routes', title: 'Routes', icon: 'routes', letter: 'r' },
  { path: '/trace', title: 'Trace', icon: 'trace', letter: 't' },
  { path: '/changes', title: 'Changes', icon: 'changes', letter: 'c' },
  { path: '/preview', title: 'Preview', icon: 'preview', letter: 'v' },
  { path: '/problems', title: 'Problems', icon: 'problems', letter: 'p' },
  {
    path: '/migration',
    title: 'Migrate',
    icon: 'migration',
    letter: 'm',
    isOffered: ({ hasMigration }) => hasMigration === true,
  },
];

/** The pages that this person is offered. */
export function offeredPages(session: Session | undefined): readonly ListedPage[] {
  return allPages.filter(
    ({ isOffered }) => isOffered === undefined || (session && isOffered(session)),
  );
}
