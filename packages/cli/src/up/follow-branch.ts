import type { KubeClient } from '@waygate/kube';
import { type GitHead, watchGitHead } from './git-head.ts';
import { applyObject } from './install-objects.ts';
import { followingText } from './open-project.ts';
import { gitRepositories, gitRepository, type ProjectSource } from './project-objects.ts';

interface FollowOptions {
  readonly log: (message: string) => void;
  /** Another branch was checked out, and is followed now. */
  readonly onFollowed: (following: string) => void;
}

/** What is checked out is what is followed, also when another branch is. */
export async function followBranch(
  client: KubeClient,
  source: ProjectSource,
  signal: AbortSignal,
  { log, onFollowed }: FollowOptions,
): Promise<void> {
  const follow = (head: GitHead | undefined): Promise<void> =>
    applyObject(client, gitRepositories, gitRepository({ ...source, head }), signal);
  await follow(source.head);
  const watch = watchGitHead(source.directory, (head) => {
    follow(head).then(
      () => onFollowed(followingText({ ...source, head })),
      (error: Error) => log(`the branch could not be followed: ${error.message}`),
    );
  });
  signal.addEventListener('abort', () => watch.close(), { once: true });
}
