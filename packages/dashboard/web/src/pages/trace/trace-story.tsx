import type { ComponentChildren } from 'preact';
import type { LostRoute, TraceAnswer, TraceLink } from '../../../../src/protocol/pages.ts';
import { HealthDot } from '../../parts/health.tsx';
import { CommitLink, ObjectLink } from '../../parts/references.tsx';

/** The request's way, step by step, then the way back to the commit. */
export function TraceStory({ answer }: { readonly answer: TraceAnswer }) {
  const { route } = answer;
  return (
    <div class="story">
      <ol class="steps">
        <Step title="Request">
          <p class="mono step-main">{answer.request}</p>
        </Step>
        {route ? (
          <Step title="Route">
            <p class="step-main">
              <a class="mono" href={`/routes?route=${encodeURIComponent(route.id)}`}>
                {route.name}
              </a>
            </p>
            <p class="muted">{route.conditions}</p>
          </Step>
        ) : (
          <Step title="Route" isBad>
            <p class="step-main">No route takes it: the answer is a 404.</p>
            {answer.lost.length > 0 && (
              <p class="muted">The nearest ones are below, with what keeps each of them off.</p>
            )}
          </Step>
        )}
        {route && (
          <Step title="Plugins">
            {answer.plugins.length === 0 ? (
              <p class="muted">None.</p>
            ) : (
              <ol class="plugin-order">
                {answer.plugins.map(({ name, scope }) => (
                  <li key={`${scope} ${name}`}>
                    <span class="mono">{name}</span> <span class="muted">{scope}</span>
                  </li>
                ))}
              </ol>
            )}
          </Step>
        )}
        {route && <Upstream answer={answer} />}
      </ol>
      {answer.chain.length > 0 && (
        <section class="story-part">
          <h2>Where it comes from</h2>
          <ol class="chain">
            {answer.chain.map((link) => (
              <ChainLink
                key={`${link.object.kind} ${link.object.namespace} ${link.object.name}`}
                link={link}
              />
            ))}
          </ol>
        </section>
      )}
      <Lost lost={answer.lost} more={answer.lostMore} />
    </div>
  );
}

function Upstream({ answer }: { readonly answer: TraceAnswer }) {
  const { targets } = answer;
  const total = targets.reduce((sum, { weight }) => sum + weight, 0);
  return (
    <Step title="Targets" isBad={answer.upstreamUrl !== undefined && targets.length === 0}>
      {answer.upstreamUrl ? (
        <p class="mono step-main">{answer.upstreamUrl}</p>
      ) : (
        <p class="muted">No service: a plugin answers.</p>
      )}
      {answer.upstreamUrl && targets.length === 0 && <p>No target is there to take it.</p>}
      <ul class="plain">
        {targets.map(({ target, weight, health }) => (
          <li key={target} class="target">
            <HealthDot health={health} />
            <span class="mono">{target}</span>
            <span class="muted">
              weight {weight}
              {total > 0 && targets.length > 1 && `, ${Math.round((weight / total) * 100)} %`}
            </span>
          </li>
        ))}
      </ul>
    </Step>
  );
}

function Step(props: {
  readonly title: string;
  readonly isBad?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <li class={props.isBad ? 'step step-bad' : 'step'}>
      <h2>{props.title}</h2>
      <div>{props.children}</div>
    </li>
  );
}

function ChainLink({ link }: { readonly link: TraceLink }) {
  return (
    <li class="chain-link">
      <div class="chain-head">
        <ObjectLink object={link.object} />
        <span class="origin">
          {link.origin?.commit && <CommitLink commit={link.origin.commit} />}
          {link.origin?.file && <span class="file">{link.origin.file}</span>}
        </span>
      </div>
      {link.lines && <FileLines first={link.lines.first} text={link.lines.text} />}
      {link.stopped && <p class="chain-stopped">{link.stopped}</p>}
    </li>
  );
}

function FileLines({ first, text }: { readonly first: number; readonly text: string }) {
  const lines = text.replace(/\n$/, '').split('\n');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways
    <pre class="file-lines" tabIndex={0}>
      {lines.map((line, index) => (
        <span key={`${first + index}`} class="file-line">
          <span class="file-number">{first + index}</span>
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

function Lost({ lost, more }: { readonly lost: readonly LostRoute[]; readonly more: number }) {
  if (lost.length === 0) return null;
  return (
    <section class="story-part">
      <h2>Routes that lost</h2>
      <ul class="plain lost">
        {lost.map(({ id, name, reason }) => (
          <li key={id}>
            <a class="mono" href={`/routes?route=${encodeURIComponent(id)}`}>
              {name}
            </a>
            <span class="muted">{reason}</span>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="muted">{more.toLocaleString('en')} more match even less.</p>}
    </section>
  );
}
