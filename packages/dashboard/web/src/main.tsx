import { render } from 'preact';
import './style/index.css';
import { App } from './app.tsx';
import { askSession, connection } from './live/dashboard.ts';
import { keepTime } from './parts/when.tsx';
import { followLinks } from './place/place.ts';
import { listenToKeys } from './shell/keys.ts';

followLinks();
listenToKeys();
keepTime();
addEventListener('online', () => connection.retryNow());
void askSession().then(() => connection.run(new AbortController().signal));
const root = document.getElementById('app');
if (root) render(<App />, root);
