package openai

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/servers"
)

// How a run takes a refusal.
const (
	waits   = "waits"         // the request is sent again after a pause, and loses no try
	tries   = "tries again"   // it loses one
	fails   = "the item ends" // and the run goes on
	lasts   = "the server ends"
	refuses = "counts" // as an answer, so that the run is complete
)

// What services and engines say, as their documentation, sources and threads of issues have it, and what follows for the run.
func TestWhatServersRefuseWith(t *testing.T) {
	for name, row := range map[string]struct {
		status     int
		retryAfter string
		body       string
		cause      backends.Cause
		effect     string
		pause      time.Duration
		says       string // beside the path
	}{
		"Azure: tokens a minute": {429, "2", `{"error":{"code":"429","message":"Requests to the ChatCompletions_Create Operation under Azure OpenAI ` +
			`API version 2024-06-01 have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 2 seconds. Please go here: ` +
			`https://aka.ms/oai/quotaincrease if you would like to further increase the default rate limit."}}`,
			backends.CauseEngine, waits, 2 * time.Second, "token rate limit"},
		"Azure: the words alone": {429, "", `{"error":{"code":"429","message":"… exceeded call rate limit … Please retry after 17 seconds. … quotaincrease"}}`,
			backends.CauseEngine, waits, 17 * time.Second, "call rate limit"},
		"Azure: content filter": {400, "", `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management ` +
			`policy. Please modify your prompt and retry.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":` +
			`"ResponsibleAIPolicyViolation"}}}`, backends.CauseRefused, refuses, 0, "content management"},
		"Azure: key": {401, "", `{"statusCode":401,"message":"Unauthorized. Access token is missing, invalid, audience is incorrect, or have expired."}`,
			backends.CauseAuth, lasts, 0, "Access token is missing"},
		"Azure: deployment": {404, "", `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`,
			backends.CauseGone, lasts, 0, "deployment"},
		"Gemini: requests a minute": {429, "", `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing ` +
			`details. * Quota exceeded for metric: generate_content_free_tier_requests, limit: 10\nPlease retry in 3.2s.","status":"RESOURCE_EXHAUSTED"}}]`,
			backends.CauseEngine, waits, 3200 * time.Millisecond, "retry in 3.2s"},
		"Gemini: key": {400, "", `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`,
			backends.CauseAuth, lasts, 0, "API key not valid"},
		"Gemini: too long": {400, "", `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed ` +
			`(1048576).","status":"INVALID_ARGUMENT"}}]`, backends.CauseTruncated, fails, 0, "input token count"},
		"Gemini: overloaded": {503, "", `[{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}]`,
			backends.CauseEngine, waits, 0, "overloaded"},
		"OpenAI: requests a minute": {429, "", `{"error":{"message":"Rate limit reached for gpt-5 in organization org-x on requests per min (RPM): Limit 3, ` +
			`Used 3, Requested 1. Please try again in 20s.","type":"requests","param":null,"code":"rate_limit_exceeded"}}`,
			backends.CauseEngine, waits, 20 * time.Second, "requests per min"},
		"OpenAI: quota": {429, "", `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":` +
			`"insufficient_quota","param":null,"code":"insufficient_quota"}}`, backends.CauseQuota, lasts, 0, "billing"},
		"OpenAI: key": {401, "", `{"error":{"message":"Incorrect API key provided: sk-x.","type":"invalid_request_error","code":"invalid_api_key"}}`,
			backends.CauseAuth, lasts, 0, "Incorrect API key"},
		"OpenAI: context": {400, "", `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 ` +
			`tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
			backends.CauseTruncated, fails, 0, "maximum context length"},
		"OpenAI: model": {404, "", `{"error":{"message":"The model gpt-9 does not exist or you do not have access to it.","code":"model_not_found"}}`,
			backends.CauseGone, lasts, 0, "does not exist"},
		"OpenAI: region": {403, "", `{"error":{"code":"unsupported_country_region_territory","message":"Country, region, or territory not supported"}}`,
			backends.CauseAuth, lasts, 0, "territory"},
		"OpenAI: its fault": {500, "", `{"error":{"message":"The server had an error while processing your request. Sorry about that!"}}`,
			backends.CauseEngine, tries, 0, "had an error"},
		"OpenAI: a field": {422, "", `{"error":{"message":"Unprocessable entity: input is malformed"}}`, backends.CauseEngine, fails, 0, "malformed"},
		"Groq: minutes": {429, "", `{"error":{"message":"Rate limit reached … on tokens per day (TPD): Limit 100000, Used 99895, Requested 1100. Please ` +
			`try again in 14m24.5s.","type":"tokens","code":"rate_limit_exceeded"}}`, backends.CauseEngine, waits, 864500 * time.Millisecond, "per day"},
		"Groq: one prompt too large": {413, "", `{"error":{"message":"Request too large for model … on tokens per minute (TPM): Limit 6000, Requested ` +
			`7021, please reduce your message size and try again.","code":"rate_limit_exceeded"}}`, backends.CauseOversize, fails, 0, "too large"},
		"Groq: decommissioned": {400, "", `{"error":{"message":"The model llama2-70b has been decommissioned and is no longer supported."}}`,
			backends.CauseGone, lasts, 0, "decommissioned"},
		"OpenRouter: credits": {402, "", `{"error":{"code":402,"message":"Insufficient credits. Add more at https://openrouter.example/credits"}}`,
			backends.CauseQuota, lasts, 0, "credits"},
		"OpenRouter: moderation": {403, "", `{"error":{"code":403,"message":"Your chosen model requires moderation and your input was flagged for ` +
			`\"violence\"","metadata":{"reasons":["violence"]}}}`, backends.CauseRefused, refuses, 0, "flagged"},
		"OpenRouter: a provider's error": {502, "", `{"error":{"code":502,"message":"Provider returned error","metadata":{"raw":"upstream connect ` +
			`error","provider_name":"X"}}}`, backends.CauseEngine, tries, 0, "upstream connect error"},
		"OpenRouter: too slow": {408, "", `{"error":{"code":408,"message":"Request timed out"}}`, backends.CauseTimeout, tries, 0, "timed out"},
		"DashScope: inspection": {400, "", `{"error":{"code":"data_inspection_failed","message":"Input data may contain inappropriate content."}}`,
			backends.CauseRefused, refuses, 0, "inappropriate"},
		"DashScope: arrears": {400, "", `{"error":{"code":"Arrearage","message":"Access denied, please make sure your account is in good standing."}}`,
			backends.CauseQuota, lasts, 0, "good standing"},
		"DashScope: busy": {429, "", `{"error":{"code":"limit_requests","message":"You have exceeded your current request limit."}}`,
			backends.CauseEngine, waits, 0, "request limit"},
		"DashScope: too long": {400, "", `{"error":{"code":"invalid_parameter_error","message":"Range of input length should be [1, 30720]"}}`,
			backends.CauseTruncated, fails, 0, "Range of input length"},
		"Cloudflare: too slow":  {524, "", `<html><title>524: A timeout occurred</title></html>`, backends.CauseTimeout, tries, 0, ""},
		"Cloudflare: no origin": {502, "", `<html><title>502 Bad Gateway</title></html>`, backends.CauseEngine, tries, 0, "Bad Gateway"},
		"Anthropic's gateway":   {529, "", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, backends.CauseEngine, waits, 0, "Overloaded"},
		"vLLM: context": {400, "", `{"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested 4200 tokens (4100 in the ` +
			`prompt, 100 in the completion).","type":"BadRequestError","param":null,"code":400}}`, backends.CauseTruncated, fails, 0, "4096"},
		"SGLang: queue": {503, "", `{"object":"error","message":"The request queue is full.","type":"ServiceUnavailable","code":503}`,
			backends.CauseEngine, waits, 0, "queue is full"},
		"llama-server: loading": {503, "", `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`, backends.CauseEngine, waits, 0, "Loading"},
		"llama-server: context": {400, "", `{"error":{"code":400,"message":"request (5012 tokens) exceeds the available context size (4096 tokens), try ` +
			`increasing it","type":"exceed_context_size_error","n_prompt_tokens":5012,"n_ctx":4096}}`, backends.CauseTruncated, fails, 0, "context size"},
		"llama-server: key": {401, "", `{"error":{"code":401,"message":"Invalid API Key","type":"authentication_error"}}`,
			backends.CauseAuth, lasts, 0, "Invalid API Key"},
		"LM Studio: nothing loaded": {404, "", `{"error":"No models loaded. Please load a model in the developer page."}`, backends.CauseGone, lasts, 0, "No models"},
		"LM Studio: too long": {400, "", `{"error":"Trying to keep the first 5012 tokens when context the overflows. However, the model is loaded with context ` +
			`length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input"}`,
			backends.CauseTruncated, fails, 0, "context"},
		"Ollama: no model": {404, "", `{"error":{"message":"model 'llama9' not found","type":"not_found_error"}}`, backends.CauseGone, lasts, 0, "not found"},
		"Ollama: memory": {500, "", `{"error":{"message":"model requires more system memory (9.2 GiB) than is available (6.1 GiB)"}}`,
			backends.CauseMemory, tries, 0, "memory"},
		"Ollama: busy": {503, "", `{"error":{"message":"server busy, please try again. maximum pending requests exceeded"}}`,
			backends.CauseEngine, waits, 0, "server busy"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(func(w http.ResponseWriter, _ map[string]any) {
				if row.retryAfter != "" {
					w.Header().Set("Retry-After", row.retryAfter)
				}
				w.WriteHeader(row.status)
				w.Write([]byte(row.body))
			})
			m := at(t, Options{ClientOptions: servers.ClientOptions{Tries: 1, Patience: time.Millisecond}}, f)
			r := &servers.Request{Run: m.Run(), Request: question}
			refusal, _ := errors.AsType[*servers.Refusal](m.all[0].Generate(t.Context(), r, servers.NewAnswer(r)))
			assert.Assert(t, refusal != nil)
			e, effect := refusal.Means(time.Now()), tries
			switch {
			case e.Busy:
				effect = waits
			case e.Lasts():
				effect = lasts
			case e.Cause == backends.CauseRefused:
				effect = refuses
			case e.Final:
				effect = fails
			}
			assert.Check(t, is.Equal(e.Cause, row.cause))
			assert.Check(t, is.Equal(effect, row.effect))
			assert.Check(t, is.Equal(e.Pause, row.pause))
			if e.Busy {
				assert.Check(t, strings.Contains(e.Text, "/v1/completions") && strings.Contains(e.Text, row.says), e.Text)
				return
			}
			c := one(t, m, question)
			said := c.Error + c.Text
			assert.Check(t, c.Cause == row.cause && (c.Finish != backends.FinishError) == (effect == refuses), "%+v", c)
			assert.Check(t, strings.Contains(said, "/v1/completions") && strings.Contains(said, row.says), said)
		})
	}
}
