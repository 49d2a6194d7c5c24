/** In place of a part of the page that failed, or that could not be loaded: what happened, and a way out. */

import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

interface Props {
  readonly children: ReactNode;
}

interface State {
  readonly hasFailed: boolean;
}

export class FailureBoundary extends Component<Props, State> {
  override readonly state: State = { hasFailed: false };

  static getDerivedStateFromError(): State {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <Notice
        title="This part of the console could not be shown"
        icon="warning"
        tone="danger"
        actions={
          <Button look="primary" onPress={() => location.reload()}>
            Reload
          </Button>
        }
      >
        <p>The service may have been updated since the page was loaded. Nothing is lost: the view is in the address.</p>
      </Notice>
    );
  }
}
