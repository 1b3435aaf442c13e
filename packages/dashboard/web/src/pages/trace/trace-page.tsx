import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { TraceAnswer, TraceQuestion } from '../../../../src/protocol/pages.ts';
import { api } from '../../live/dashboard.ts';
import { useAsked } from '../../live/use-answer.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Arch, Failure, Loading } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { go, place } from '../../place/place.ts';
import { readTyped } from './curl.ts';
import { isSecretHeader, traceAddress, traceOfQuery } from './trace-link.ts';
import { TraceStory } from './trace-story.tsx';

/** Of the request that was typed last: what must not stand in its link. */
const secrets = signal<Readonly<Record<string, string>>>({});

/** Where a request goes, and which commit sends it there. */
export function TracePage() {
  const { query } = place.value;
  const linked = traceOfQuery(query);
  const question = linked && withSecrets(linked);
  return (
    <div class="page">
      <PageHead title="Trace" aside="where a request goes, and why" />
      <TraceForm key={JSON.stringify(linked)} question={linked} />
      {question ? <Trace question={question} /> : <TraceHint />}
    </div>
  );
}

function withSecrets(question: TraceQuestion): TraceQuestion {
  const headers = { ...question.headers, ...secrets.value };
  const typed = readTyped(question.url);
  // A link may carry a whole command line, as the search makes it.
  const base = typed && /^\s*\$?\s*curl\s/.test(question.url) ? typed : question;
  return Object.keys(headers).length > 0
    ? { ...base, headers: { ...base.headers, ...headers } }
    : base;
}

function TraceForm({ question }: { readonly question: TraceQuestion | undefined }) {
  const [typed, setTyped] = useState(question ? asTyped(question) : '');
  const submit = () => {
    const request = readTyped(typed);
    if (!request) return;
    secrets.value = Object.fromEntries(
      Object.entries(request.headers ?? {}).filter(([name]) => isSecretHeader(name)),
    );
    go(traceAddress(request));
  };
  return (
    <form
      class="trace-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        aria-label="Address, or a curl command line"
        placeholder="https://shop.example/cart, POST shop.example/checkout, or a curl command line"
        rows={Math.min(6, Math.max(1, typed.split('\n').length))}
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          submit();
        }}
      />
      <button type="submit" class="button button-main">
        Trace
      </button>
    </form>
  );
}

/** As short as it can be read back. */
function asTyped({ url, method, headers }: TraceQuestion): string {
  const given = Object.entries(headers ?? {});
  if (given.length === 0) return method && method !== 'GET' ? `${method} ${url}` : url;
  const flags = given.map(([name, value]) => ` -H '${name}: ${value}'`).join('');
  return `curl${method ? ` -X ${method}` : ''}${flags} '${url}'`;
}

function Trace({ question }: { readonly question: TraceQuestion }) {
  const { answer, failure, again } = useAsked<TraceAnswer>(JSON.stringify(question), (over) =>
    api.post('trace', question, over),
  );
  if (failure) return <Failure failure={failure} onRetry={again} />;
  if (!answer) return <Loading />;
  return (
    <>
      <div class="trace-tools">
        <CopyButton text={() => location.origin + traceAddress(question)}>Copy link</CopyButton>
        <button type="button" class="button" onClick={again}>
          <Icon name="reconcile" /> Ask again
        </button>
      </div>
      <TraceStory answer={answer} />
    </>
  );
}

function TraceHint() {
  return (
    <div class="empty">
      <Arch />
      <h2>Ask about a request</h2>
      <p>
        The gateway's own router decides: you see the route that takes it, those that lost and why,
        the plugins in their order, the live targets, and the commit, file and line behind each of
        them. Nothing is sent.
      </p>
    </div>
  );
}
