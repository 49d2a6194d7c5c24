/** In the place of something that is being loaded, so that nothing moves when it is there. */

import './placeholder.css';

export function Placeholder() {
  return <span className="placeholder" aria-hidden="true" />;
}
