// The page above a report: it hears where the run stands, and has the report loaded anew once another one is there. What the reader
// looks at, its place and its filters (in the frame's hash), stays.
const bar = document.querySelector("progress");
const line = document.querySelector("#line");
const nav = document.querySelector("nav");
const follow = document.querySelector("input");
const frame = document.querySelector("iframe");
let current = -1; // the task that is shown
let picked = false; // by the reader
let loading = false;

function load(task) {
	const shown = frame.contentWindow;
	const again = task === current;
	const top = again ? shown.scrollY : 0;
	loading = true;
	frame.onload = () => {
		loading = false;
		frame.contentWindow.scrollTo(0, top);
	};
	current = task;
	for (const button of nav.children) {
		button.toggleAttribute("aria-current", Number(button.value) === task);
	}
	if (again) {
		shown.location.reload();
	} else {
		shown.location.replace(new URL(`report/${task}`, location.href));
	}
}

function tasks(names) {
	for (let i = nav.children.length; names.length > 1 && i < names.length; i++) {
		const button = document.createElement("button");
		button.value = i;
		button.textContent = names[i];
		button.onclick = () => {
			picked = true;
			load(i);
		};
		nav.append(button);
	}
}

const events = new EventSource("events");
events.onmessage = (event) => {
	const now = JSON.parse(event.data);
	tasks(now.tasks);
	bar.max = Math.max(1, now.total);
	bar.value = now.done;
	line.textContent = now.ended ? `${now.line} · the run has ended` : now.line;
	document.title = `${now.done}/${now.total} proctor`;
	const newest = now.tasks.length - 1;
	if (newest < 0) {
		return;
	}
	if (now.ended) {
		end(now);
	} else if (!loading && (current < 0 || follow.checked)) {
		if (current < 0 || (!picked && current !== newest)) {
			load(newest);
		} else if (now.due.includes(current)) {
			load(current);
		}
	}
};
events.onerror = () => {
	if (!line.textContent.endsWith("no connection")) {
		line.textContent += " · no connection";
	}
};

// The last report is loaded, whatever the reader looks at, before the server goes.
function end(now) {
	if (loading) {
		frame.addEventListener("load", () => end(now), { once: true });
		return;
	}
	if (current < 0 || now.due.includes(current)) {
		load(current < 0 ? now.tasks.length - 1 : current);
		frame.addEventListener("load", () => events.close(), { once: true });
	} else {
		events.close();
	}
}
