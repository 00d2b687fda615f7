// The search compares matches by field: title (3), path (2) and text (1). Of preferred pages, such as a guide, the text
// counts as path as well; of others, the page's title counts as path and the titles of sections count as text. So a
// preferred page comes first. Results are shown as they are in the index.
(() => {
  "use strict";

  const START = 0; // the type of the message that has the index

  const ranked = (item) => {
    if (item.preferred) return { ...item, path: [...(item.path ?? []), item.text] };
    if (item.level === 1) return { ...item, title: "", path: [item.title] };
    return { ...item, title: "", path: [], text: `${item.text} ${item.title}` };
  };

  window.Worker = class extends Worker {
    postMessage(message, ...others) {
      const { type, data } = message;
      const sent = type === START ? { type, data: { ...data, items: data.items.map(ranked) } } : message;
      super.postMessage(sent, ...others);
    }
  };
})();
