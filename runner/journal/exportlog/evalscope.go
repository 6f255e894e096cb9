package exportlog

import (
	"cmp"
	"path/filepath"
	"strings"

	"proctor/backends"
)

const (
	scopeSet    = "mmlu_pro"
	scopeMetric = "mean_acc"
)

// A scopeMessage is one of a conversation.
type scopeMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// scopeMeta is what a review keeps of its question; evalscope takes any keys, and importlog reads the question by the last two.
type scopeMeta struct {
	Subject    string   `json:"subject"`
	QuestionID int      `json:"question_id"`
	Question   string   `json:"question"`
	Choices    []string `json:"choices"`
}

type scopeReview struct {
	Index    int            `json:"index"`
	Target   string         `json:"target"`
	Messages []scopeMessage `json:"messages"`
	Score    scopeScore     `json:"sample_score"`
}

type scopeScore struct {
	Score struct {
		Value               map[string]float64 `json:"value"`
		ExtractedPrediction string             `json:"extracted_prediction"`
		Prediction          string             `json:"prediction"`
		Metadata            struct{}           `json:"metadata"`
	} `json:"score"`
	SampleID int       `json:"sample_id"`
	GroupID  int       `json:"group_id"`
	Metadata scopeMeta `json:"sample_metadata"`
}

type scopePrediction struct {
	Index    int            `json:"index"`
	Model    string         `json:"model"`
	Output   scopeOutput    `json:"model_output"`
	Messages []scopeMessage `json:"messages"`
	Metadata scopeMeta      `json:"metadata"`
}

type scopeOutput struct {
	Model   string        `json:"model"`
	Choices []scopeChoice `json:"choices"`
	Usage   struct {
		Input  int `json:"input_tokens"`
		Output int `json:"output_tokens"`
		Total  int `json:"total_tokens"`
	} `json:"usage"`
}

type scopeChoice struct {
	Message scopeMessage `json:"message"`
	Stop    string       `json:"stop_reason"`
}

// A scopeReport is the first version of its reports, which every release reads.
type scopeReport struct {
	Name      string       `json:"name"`
	Set       string       `json:"dataset_name"`
	Title     string       `json:"dataset_pretty_name"`
	About     string       `json:"dataset_description"`
	ModelName string       `json:"model_name"`
	Score     float64      `json:"score"`
	Metrics   []scopeShare `json:"metrics"`
	Analysis  string       `json:"analysis"`
}

// A scopeShare is a metric, of one category that has all subjects.
type scopeShare struct {
	Name       string          `json:"name"`
	Num        int             `json:"num"`
	Score      float64         `json:"score"`
	Macro      float64         `json:"macro_score"`
	Categories []scopeCategory `json:"categories"`
}

type scopeCategory struct {
	Name    []string      `json:"name"`
	Num     int           `json:"num"`
	Score   float64       `json:"score"`
	Macro   float64       `json:"macro_score"`
	Subsets []scopeSubset `json:"subsets"`
}

type scopeSubset struct {
	Name  string  `json:"name"`
	Score float64 `json:"score"`
	Num   int     `json:"num"`
}

// evalscope writes predictions and reviews a subject, and the report that its table reads.
func evalscope(run *Run) ([]file, error) {
	model := cmp.Or(run.Header.Model.Name, run.Header.Model.Ref)
	folder := modelFolder(model, "_")
	var files []file
	for _, s := range run.Subjects {
		reviews, predictions := make([]scopeReview, len(s.Items)), make([]scopePrediction, len(s.Items))
		for i := range s.Items {
			reviews[i], predictions[i] = scopeOf(model, s.Name, i, &s.Items[i])
		}
		name := scopeSet + "_" + strings.ToLower(fileSafe(s.Name)) + ".jsonl"
		reviewed, err := lines(reviews)
		if err != nil {
			return nil, err
		}
		predicted, err := lines(predictions)
		if err != nil {
			return nil, err
		}
		files = append(files, file{filepath.Join("reviews", folder, name), reviewed},
			file{filepath.Join("predictions", folder, name), predicted})
	}
	report, err := encode(scopeReportOf(run, model), "    ")
	return append(files, file{filepath.Join("reports", folder, scopeSet+".json"), report}), err
}

func scopeOf(model, subject string, at int, it *Item) (scopeReview, scopePrediction) {
	messages := []scopeMessage{{"user", it.Prompt}, {"assistant", it.Text}}
	meta := scopeMeta{subject, it.ID, it.Question, it.Options}
	review := scopeReview{Index: at, Target: it.Gold, Messages: messages}
	review.Score.SampleID, review.Score.GroupID, review.Score.Metadata = at, at, meta
	score := &review.Score.Score
	score.Value, score.ExtractedPrediction, score.Prediction = map[string]float64{"acc": 0}, it.Letter, it.Text
	if it.Correct {
		score.Value["acc"] = 1
	}
	stop := "stop"
	if it.Finish == backends.FinishLength {
		stop = "max_tokens"
	}
	prediction := scopePrediction{Index: at, Model: model, Messages: messages, Metadata: meta}
	prediction.Output.Model, prediction.Output.Choices = model, []scopeChoice{{messages[1], stop}}
	usage := &prediction.Output.Usage
	usage.Input, usage.Output = it.Usage.PromptTokens, it.Usage.OutputTokens
	usage.Total = usage.Input + usage.Output
	return review, prediction
}

func scopeReportOf(run *Run, model string) scopeReport {
	category := scopeCategory{Name: []string{"default"}}
	var all share
	for _, s := range run.Subjects {
		one := shareOf(s.Items)
		all.add(one)
		category.Subsets = append(category.Subsets, scopeSubset{strings.ToLower(s.Name), one.mean(), one.of})
		category.Macro += one.mean() / float64(len(run.Subjects))
	}
	category.Num, category.Score = all.of, all.mean()
	metric := scopeShare{scopeMetric, category.Num, category.Score, category.Macro, []scopeCategory{category}}
	return scopeReport{Name: model + "@" + scopeSet, Set: scopeSet, Title: "MMLU-Pro", ModelName: model, Score: metric.Score,
		Metrics: []scopeShare{metric}, Analysis: "N/A"}
}
