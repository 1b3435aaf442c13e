import { kinds } from '@waygate/schema';
import { configMap, deployment, type Scenario, withText } from './scenario.ts';
import type { Stage } from './stage.ts';

/** Time for the controllers runs so much faster that half a minute is over in a second. */
const timeFactor = 25;

async function setStatus(stage: Stage, status: object): Promise<void> {
  const { namespace } = stage;
  const resource = stage.client.resource(kinds.Deployment);
  await stage.until(async () => (await stage.find(kinds.Deployment, 'web')) !== undefined);
  const { metadata } = await resource.get('web', { namespace });
  const seen = { observedGeneration: metadata.generation, ...status };
  await resource.status.patch('web', { status: seen }, { namespace });
}

/** Waiting for what was applied. */
export const healthScenarios: Readonly<Record<string, Scenario>> = {
  health_check_fail_fast: {
    async play(stage) {
      await stage.push({ 'd.yaml': deployment('web') });
      await stage.createSource();
      await stage.createKustomization({ wait: true, timeout: '40s' });
      const message = 'it takes too long';
      const reason = 'ProgressDeadlineExceeded';
      await setStatus(stage, {
        replicas: 1,
        conditions: [{ type: 'Progressing', status: 'False', reason, message }],
      });
      await stage.untilReady('False HealthCheckFailed');
      await stage.untilTold('failed early');
    },
    differs: {
      why: 'the timeout of the recording was taken for a duration that differs',
      adapt: (story) => withText(story, 'a timeout of <dur>', 'a timeout of 40s'),
    },
  },

  health_check_timeout_then_ok: {
    options: { timeFactor },
    async play(stage) {
      await stage.push({ 'd.yaml': deployment('web') });
      await stage.createSource();
      await stage.createKustomization({ wait: true, timeout: '1s', retryInterval: '5s' });
      await stage.untilReady('False HealthCheckFailed');
      await setStatus(stage, {
        replicas: 1,
        updatedReplicas: 1,
        readyReplicas: 1,
        availableReplicas: 1,
        conditions: [
          { type: 'Available', status: 'True' },
          { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
        ],
      });
      await stage.untilReady('True ReconciliationSucceeded');
      await stage.untilTold('Reconciliation finished');
    },
  },

  health_checks_list: {
    options: { timeFactor },
    async play(stage) {
      await stage.push({ 'a.yaml': configMap('a') });
      await stage.createSource();
      const { namespace } = stage;
      const ghost = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'ghost', namespace };
      await stage.createKustomization({ timeout: '1s', healthChecks: [ghost] });
      await stage.untilReady('False HealthCheckFailed');
      await stage.untilTold('health check failed after');
    },
  },
};
