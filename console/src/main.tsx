/** Starts the console. */

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyTheme } from './shell/theme.ts';
import { applyDensity } from './table/density.ts';
import './design/tokens.css';
import './design/base.css';

applyTheme();
applyDensity();
const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root element');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
