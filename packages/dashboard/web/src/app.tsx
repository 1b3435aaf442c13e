import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { askSession, sessionState } from './live/dashboard.ts';
import { ChangePage } from './pages/changes/change-page.tsx';
import { ChangesPage } from './pages/changes/changes-page.tsx';
import { CommitPage } from './pages/changes/commit-page.tsx';
import { FlowPage } from './pages/flow/flow-page.tsx';
import { MigrationPage } from './pages/migration/migration-page.tsx';
import { ObjectPage } from './pages/object/object-page.tsx';
import { PreviewPage } from './pages/preview/preview-page.tsx';
import { ProblemsPage } from './pages/problems/problems-page.tsx';
import { RoutesPage } from './pages/routes/routes-page.tsx';
import { TracePage } from './pages/trace/trace-page.tsx';
import { Empty, Failure, Loading } from './parts/notices.tsx';
import { place } from './place/place.ts';
import { Frame } from './shell/frame.tsx';
import { SignIn } from './shell/sign-in.tsx';

const pages: Readonly<Record<string, FunctionComponent>> = {
  flow: FlowPage,
  routes: RoutesPage,
  trace: TracePage,
  changes: ChangesPage,
  'changes/': ChangePage,
  'commits/': CommitPage,
  preview: PreviewPage,
  problems: ProblemsPage,
  migration: MigrationPage,
  'objects/': ObjectPage,
};

/** The whole: somebody has to be signed in, then the address decides. */
export function App() {
  const state = sessionState.value;
  if (state.kind === 'signedOut') return <SignIn refusal={state.refusal} />;
  if (state.kind === 'asking') return <Waiting />;
  if (state.kind === 'failed')
    return (
      <main class="alone">
        <Failure failure={state.failure} onRetry={() => void askSession()} />
      </main>
    );
  const [, name = '', ...rest] = place.value.path.split('/');
  const Page = pages[rest.length > 0 ? `${name}/` : name || 'flow'] ?? NoPage;
  return (
    <Frame session={state.session}>
      <Page />
    </Frame>
  );
}

/** Mostly there is nothing to wait for: only who waits for long is told so. */
function Waiting() {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), 700);
    return () => clearTimeout(timer);
  }, []);
  if (!isLong) return <Loading rows={0} />;
  return (
    <main class="alone">
      <h1 class="unseen">Waygate</h1>
      <Empty title="Waiting for the server">
        It asks the Kubernetes API what you may see, and has no answer yet.
      </Empty>
    </main>
  );
}

function NoPage() {
  return (
    <div class="page">
      <h1 class="unseen">Not found</h1>
      <Empty title="There is no such page">
        <a href="/flow">To the flow</a>
      </Empty>
    </div>
  );
}
