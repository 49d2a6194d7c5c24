/** In place of a part of the console that cannot be loaded: there is no connection, or a new version has replaced it. */

import { createPortal } from 'react-dom';
import { Button } from './button.tsx';
import './not-loaded.css';

export function NotLoaded() {
  return createPortal(
    <div className="not-loaded" role="alert">
      This part of the page could not be loaded.
      <Button onPress={() => location.reload()}>Load the page again</Button>
    </div>,
    document.body,
  );
}
