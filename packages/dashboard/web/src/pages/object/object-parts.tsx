import type { FieldOwner, ObjectCondition, ShownEvent } from '../../../../src/protocol/pages.ts';
import { Ago } from '../../parts/when.tsx';

/** Conditions that are well when false. */
const wellWhenFalse = /^(Stalled|Reconciling|.*Pressure|Degraded|Failed|.*Unavailable)$/;

export function Conditions({ conditions }: { readonly conditions: readonly ObjectCondition[] }) {
  if (conditions.length === 0) return null;
  return (
    <section>
      <h2>Conditions</h2>
      <ul class="plain conditions">
        {conditions.map((condition) => (
          <li key={condition.type} class={isWell(condition) ? '' : 'condition-bad'}>
            <span class="condition-type">{condition.type}</span>
            <span class="condition-status">{condition.status}</span>
            <span>
              {condition.reason && <span class="condition-reason">{condition.reason}</span>}{' '}
              {condition.message}
            </span>
            <span class="muted">{condition.at !== undefined && <Ago at={condition.at} />}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function isWell({ type, status }: ObjectCondition): boolean {
  return status === (wellWhenFalse.test(type) ? 'False' : 'True');
}

export function Events({ events }: { readonly events: readonly ShownEvent[] }) {
  if (events.length === 0) return null;
  return (
    <section>
      <h2>Events</h2>
      <ul class="plain events">
        {events.map((event) => (
          <li
            key={`${event.at} ${event.reason} ${event.message}`}
            class={event.type === 'Normal' ? '' : 'event-bad'}
          >
            <span class="event-reason">{event.reason}</span>
            <span>
              {event.message}
              {event.count > 1 && <span class="muted"> ×{event.count}</span>}
            </span>
            <span class="muted">
              <Ago at={event.at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Who wrote which field last. */
export function FieldOwners({ owners }: { readonly owners: readonly FieldOwner[] }) {
  if (owners.length === 0) return null;
  return (
    <section>
      <h2>Field owners</h2>
      {owners.map((owner) => (
        <details key={`${owner.manager} ${owner.operation}`} class="owner">
          <summary>
            <span class="mono">{owner.manager}</span>{' '}
            <span class="muted">
              {owner.operation}, {owner.fields.length}{' '}
              {owner.fields.length === 1 ? 'field' : 'fields'}
            </span>
          </summary>
          <ul class="plain owner-fields">
            {owner.fields.map((field) => (
              <li key={field}>
                <code>{field}</code>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </section>
  );
}
