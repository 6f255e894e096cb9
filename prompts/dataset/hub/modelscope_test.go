package hub_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts/dataset/hub"
	"proctor/scripts/tests/errortest"
)

// modelScope answers as ModelScope's API does of a repository: its storage has the files, others are an error in JSON.
func modelScope(t *testing.T, s *server) *httptest.Server {
	t.Helper()
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := r.URL.Query()
		file := asked.Get("FilePath")
		if r.URL.Path != "/api/v1/datasets/owner/set/repo" || asked.Get("Source") != "SDK" || asked.Get("Revision") != "master" || s.files[file] == nil {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			w.Write([]byte(`{"Code":10010205001,"Message":"not found","RequestId":"1","Success":false}`))
			return
		}
		http.Redirect(w, r, s.URL+"/storage/"+file, http.StatusFound)
	}))
	t.Cleanup(front.Close)
	return front
}

func TestPullFromModelScope(t *testing.T) {
	s, source := serve(t)
	s.mishap = s.cutFirst
	o := options(t, s)
	o.Endpoint, o.Client = "", nil
	t.Setenv("MODELSCOPE_DOMAIN", modelScope(t, s).URL)
	t.Setenv("HF_ENDPOINT", "http://127.0.0.1:1")
	var err error
	o.Hub, err = hub.Named("modelscope")
	assert.NilError(t, err)
	manifest := pull(t, source, o)
	assert.Check(t, manifest.Source == "owner/set@abc123 from modelscope" && len(manifest.Splits) == 2, "manifest: %+v", manifest)
	assert.Check(t, len(s.requests) == 3 && s.requests[1] == "/storage/data/test.jsonl bytes=1000-", "%q", s.requests)
}

func TestWhatModelScopeHasOtherwiseIsRefused(t *testing.T) {
	s, source := serve(t)
	o := options(t, s)
	o.Hub, o.Endpoint = hub.Hubs[1], modelScope(t, s).URL
	s.files["data/test.jsonl"] = append([]byte(" "), s.files["data/test.jsonl"]...)
	_, err := hub.Pull(t.Context(), source, o)
	errortest.Says(t, err, "it is not the pinned one")
	delete(s.files, "data/test.jsonl")
	_, err = hub.Pull(t.Context(), source, o)
	errortest.Says(t, err, "404 Not Found")
	t.Setenv("MODELSCOPE_DOMAIN", "ftp://x")
	o.Endpoint = ""
	_, err = hub.Pull(t.Context(), source, o)
	errortest.Says(t, err, "mend MODELSCOPE_DOMAIN or unset it")
	_, err = hub.Named("kaggle")
	errortest.Says(t, err, `there is no hub "kaggle"; there are huggingface and modelscope`)
}
