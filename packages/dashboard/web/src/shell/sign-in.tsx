import { useState } from 'preact/hooks';
import type { DashboardRefusal } from '../../../src/protocol/requests.ts';
import { ApiFailure } from '../live/api.ts';
import { api, askSession } from '../live/dashboard.ts';
import { Mark } from './frame.tsx';

/** Asks who looks. What they see is what the cluster lets them see. */
export function SignIn({ refusal }: { readonly refusal: DashboardRefusal }) {
  const offer = refusal.signIn ?? { token: true };
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <Mark />
        <h1>Waygate</h1>
        <p class="muted">From a commit to a request. You see what the cluster lets you see.</p>
        {offer.oidc && (
          <a class="button button-main" href={offer.oidc} data-outside>
            Sign in
          </a>
        )}
        {offer.oidc && offer.token && <p class="sign-in-or">or</p>}
        {offer.token && <TokenForm isMain={!offer.oidc} />}
        {!offer.token && !offer.oidc && (
          <div class="sign-in-note">
            <p>{refusal.error.message}</p>
            {refusal.error.hint && <p class="muted">{refusal.error.hint}</p>}
          </div>
        )}
      </div>
    </main>
  );
}

function TokenForm({ isMain }: { readonly isMain: boolean }) {
  const [failure, setFailure] = useState<ApiFailure>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (form: HTMLFormElement) => {
    const token = String(new FormData(form).get('token') ?? '').trim();
    setBusy(true);
    try {
      await api.post('sign-in', { token });
      await askSession();
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
    >
      <label for="token">Bearer token</label>
      <input
        id="token"
        name="token"
        type="password"
        autocomplete="off"
        required
        aria-describedby="token-hint"
        aria-invalid={failure !== undefined}
      />
      <p id="token-hint" class="hint">
        <code>kubectl create token NAME -n NAMESPACE</code>
      </p>
      {failure && (
        <p class="sign-in-failure" role="alert">
          {failure.refusal.message}
        </p>
      )}
      <button type="submit" class={isMain ? 'button button-main' : 'button'} disabled={isBusy}>
        {isBusy ? 'Asking the cluster …' : 'Sign in with this token'}
      </button>
    </form>
  );
}
