import type { AdminClient } from '@waygate/kong';
import type { KubeClient } from '@waygate/kube';
import type { Finding } from '../check/finding.ts';
import type { MigrationStep } from './migration-step.ts';

/** What a survey may use. */
export interface SurveyOptions {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** The Kong behind it, where somebody said which. */
  readonly admin?: AdminClient | undefined;
}

/** What was found, and what would be done. */
export interface Survey {
  readonly findings: readonly Finding[];
  readonly steps: readonly MigrationStep[];
  /** What would change in the gateway, for people; absent when that was not asked for. */
  readonly gateway?: string | undefined;
  /** What is left to people when all steps are done. */
  readonly advice: readonly string[];
}

/** Something that people come from. */
export interface MigrationSource {
  readonly summary: string;
  /** The part of Waygate that takes over. */
  readonly part: 'gitops' | 'ingress';
  readonly survey: (options: SurveyOptions) => Promise<Survey>;
}
