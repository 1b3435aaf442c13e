import type { Health } from '../../../../src/protocol/reference.ts';
import { healthOrder } from '../../parts/health-order.ts';
import { Icon } from '../../parts/icon.tsx';
import type { FlowBox, FlowGroup } from './folding.ts';

/** A node, or a group with how its members do. */
export function FlowBoxView(props: {
  readonly box: FlowBox;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly isFollowed: boolean;
  readonly isSelected: boolean;
  readonly isWalked: boolean;
  readonly onPress: () => void;
}) {
  const { box } = props;
  const classes = ['flow-box', `flow-${box.health}`, `flow-of-${box.stage}`];
  if (box.group) classes.push('flow-group');
  if (!props.isFollowed) classes.push('flow-dim');
  if (props.isSelected) classes.push('flow-selected');
  return (
    <button
      type="button"
      class={classes.join(' ')}
      data-box={box.id}
      tabIndex={props.isWalked ? 0 : -1}
      aria-expanded={box.group?.isOpen}
      aria-pressed={box.group ? undefined : props.isSelected}
      title={`${box.node?.title ?? box.title}\n${box.detail}`}
      style={{ left: `${props.left}px`, top: `${props.top}px`, width: `${props.width}px` }}
      onClick={props.onPress}
    >
      <span class="flow-title">
        {box.group ? (
          <span class={box.group.isOpen ? 'chevron chevron-open' : 'chevron'}>
            <Icon name="fold" />
          </span>
        ) : (
          <span class={`health health-${box.health}`} aria-hidden="true" />
        )}
        <span class="flow-name">{box.title}</span>
        <span class="unseen">{box.health}</span>
      </span>
      <span class="flow-detail">{box.detail}</span>
      {box.group && <HealthBar group={box.group} />}
    </button>
  );
}

/** How many of the members do how well, as one bar. */
function HealthBar({ group }: { readonly group: FlowGroup }) {
  return (
    <svg class="health-bar" viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true">
      {barParts(group).map(({ health, from, width }) => (
        <rect key={health} class={`bar-${health}`} x={from} y="0" width={width} height="3" />
      ))}
    </svg>
  );
}

/** A bad one among thousands is still seen: no part is thinner than two hundredths. */
function barParts(group: FlowGroup): { health: Health; from: number; width: number }[] {
  let from = 0;
  const present = healthOrder.filter((health) => (group.healths[health] ?? 0) > 0);
  const sum = present.reduce((total, health) => total + share(group, health), 0);
  return present.map((health) => {
    const width = (share(group, health) / sum) * 100;
    const part = { health, from, width };
    from += width;
    return part;
  });
}

function share(group: FlowGroup, health: Health): number {
  return Math.max(0.02, (group.healths[health] ?? 0) / group.count);
}
