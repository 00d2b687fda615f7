// Pages opened from file:// may not start workers, which the site's search is. There, a frame without content runs
// the worker's script instead: it has a global scope of its own, and messages pass in the same two ways.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    onmessage = null;
    #scope;

    constructor(url) {
      super();
      this.#scope = new Promise((resolve) => {
        const frame = document.createElement("iframe");
        frame.hidden = true;
        frame.addEventListener("load", () => this.#run(frame.contentWindow, url, resolve), { once: true });
        document.body.append(frame);
      });
    }

    postMessage(data) {
      // A task of its own, as with a worker: the sender goes on first.
      this.#scope.then((scope) => setTimeout(() => scope.dispatchEvent(new MessageEvent("message", { data }))));
    }

    #run(scope, url, resolve) {
      scope.postMessage = (data) => {
        setTimeout(() => {
          const event = new MessageEvent("message", { data });
          this.dispatchEvent(event);
          this.onmessage?.(event);
        });
      };
      const script = scope.document.createElement("script");
      script.src = new URL(url, document.baseURI);
      script.addEventListener("load", () => resolve(scope), { once: true });
      scope.document.body.append(script);
    }
  };
}
