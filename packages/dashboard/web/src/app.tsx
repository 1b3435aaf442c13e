import type { FunctionComponent } from 'preact';
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
  if (state.kind === 'asking') return <Loading rows={0} />;
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
