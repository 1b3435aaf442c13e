import { goRegex, RegexError, selectorFromSet } from '@waygate/text';
import type { NotificationEvent } from '../api/notification-event.ts';
import type { Alert, CrossNamespaceReference } from '../api/notification-objects.ts';

/** Whether an Alert wants an event, and what is wrong with how it says so. */
interface AlertMatch {
  readonly isWanted: boolean;
  readonly problems: readonly string[];
}

/** The labels of the object that an event is about; they are asked for only where they count. */
type LabelsOfObject = () => Promise<Readonly<Record<string, string>> | undefined>;

/** What one pattern may cost on one message: far more than an ordinary one does. */
const maxTested = 39_000;

/** The namespaces that an Alert listens to. */
export function namespacesOf({ metadata, spec }: Alert): string[] {
  const own = metadata.namespace ?? '';
  return [...new Set((spec.eventSources ?? []).map(({ namespace }) => namespace || own))];
}

/** Whether an Alert wants an event: by its sources, severity and the lists of patterns. */
export async function matchAlert(
  alert: Alert,
  event: NotificationEvent,
  labelsOf: LabelsOfObject,
): Promise<AlertMatch> {
  const { spec } = alert;
  const problems: string[] = [];
  const isSevere = spec.eventSeverity !== 'error' || event.severity === 'error';
  if (spec.suspend === true || !isSevere || event.severity === 'trace')
    return { isWanted: false, problems };
  if (!(await hasSource(alert, event, labelsOf))) return { isWanted: false, problems };
  const message = event.message.slice(0, maxTested);
  const matches = (pattern: string): boolean => {
    try {
      return goRegex(pattern).test(message);
    } catch (error) {
      if (!(error instanceof RegexError)) throw error;
      problems.push(`the pattern ${JSON.stringify(pattern)} cannot be used: ${error.message}`);
      return false;
    }
  };
  const { inclusionList = [], exclusionList = [] } = spec;
  const isIncluded = inclusionList.length === 0 || inclusionList.some(matches);
  return { isWanted: isIncluded && !exclusionList.some(matches), problems };
}

async function hasSource(
  { metadata, spec }: Alert,
  { involvedObject }: NotificationEvent,
  labelsOf: LabelsOfObject,
): Promise<boolean> {
  const near = (spec.eventSources ?? []).filter(
    (source) =>
      (source.namespace || metadata.namespace) === involvedObject.namespace &&
      source.kind === involvedObject.kind &&
      (source.name === '*' || source.name === involvedObject.name),
  );
  if (near.some((source) => !hasLabels(source))) return true;
  if (near.length === 0) return false;
  const labels = await labelsOf();
  return (
    labels !== undefined &&
    near.some(({ matchLabels = {} }) => selectorFromSet(matchLabels).matches(labels))
  );
}

function hasLabels({ matchLabels = {} }: CrossNamespaceReference): boolean {
  return Object.keys(matchLabels).length > 0;
}
