import type { NginxOptions } from '@waygate/ingress';
import type { AdminClient } from '@waygate/kong';
import type { KubeClient } from '@waygate/kube';
import type { KubeObject } from '@waygate/schema';
import type { Finding } from '../check/finding.ts';
import type { MigrationStep } from './migration-step.ts';

/** The objects around Ingresses of ingress-nginx, and how it was told to serve them. */
export interface IngressSet {
  readonly objects: readonly KubeObject[];
  readonly options: NginxOptions;
}

interface NginxSurveyOptions {
  /** Snippets that are not understood count for nothing; their Ingresses are served without them. */
  readonly ignoresSnippets?: boolean;
  /** Goes on although some Ingresses cannot be served. */
  readonly isForced?: boolean;
}

/** What a survey may use. */
export interface SurveyOptions {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** The Kong behind it, where somebody said which. */
  readonly admin?: AdminClient | undefined;
  /** How Ingresses of ingress-nginx are judged. */
  readonly nginx?: NginxSurveyOptions | undefined;
}

/** What was found, and what would be done. */
export interface Survey {
  readonly findings: readonly Finding[];
  readonly steps: readonly MigrationStep[];
  /** What would change in the gateway, for people; absent when that was not asked for. */
  readonly gateway?: string | undefined;
  /** What becomes of the objects that are there. */
  readonly report?: { readonly data: object; readonly text: string } | undefined;
  /** What that was said of, for who wants to do more with it. */
  readonly ingresses?: IngressSet | undefined;
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
