package dataset

// What is said of funds and of those who manage them. The notation is that of grammar; a word for the kind of
// securities that a fund holds has to do for funds of stocks, bonds and both.

var fundOpenings = newGrammar(`
{name} seeks [long-term growth of capital|current income|total return|capital appreciation and income] [by investing|through investment] [primarily|at least {pct} of its assets] in securities of [companies|issuers] in {region}.
The investment seeks to [track|replicate|match] the performance of the <Index>{index}</Index>. {name} [invests|normally invests] [all, or substantially all,|at least {pct}] of its assets in [securities|instruments] that make up the index.
{name} [aims|attempts] to [outperform|beat] the <Index> {index} </Index> [over|in the course of] [a full market cycle|{few} years] <Strategy>by [selecting|overweighting] [undervalued|high-quality|out-of-favor] [issuers|sectors|securities]</Strategy>.
[Launched|Opened|Organized] by {family} on {date}, {name} [is open to|is offered to|serves] [individual|institutional|retirement] investors [who seek|looking for] [income|growth|preservation of capital|diversification].
The objective of {name} is [income exempt from federal tax|a high level of income|growth with moderate risk|a positive real return]; [up to|no more than|at least] {pct} of the portfolio may be [held in cash|invested abroad|rated below {rating}].
{family} [started|set up] {name} in {year}. The fund [holds|owns] [between {some} and {some}|about {some}] [positions|issues] and [turns over|trades] {pct} of them [a year|annually].
`)

var fundSentences = newGrammar(`
The fund [normally|generally|under normal circumstances] invests at least {pct} of its [net|total] assets in [equities|debt|securities] of [small|medium-sized|large|foreign] [companies|issuers] [engaged in|active in] {verbing} {product}.
It [may|can|may also] [invest|place] up to {pct} of assets in [derivatives|repurchase agreements|convertible securities|warrants|depositary receipts|real estate trusts], <Strategy>[to hedge currency exposure|to manage duration|to keep cash at work|for temporary defensive purposes]</Strategy>.
[Top|Largest|Principal] holdings [at the end of {month}|as of {date}] [were|included] <Holdings>{rival}</Holdings>, <Holdings>{rival}</Holdings> and <Holdings> {rival} </Holdings>.
<Holdings>{rival} [makes up|accounts for|represents] {pct} of assets</Holdings>, [followed by|ahead of] {rival} [with|at] {pct}.
[Compared with|Relative to|Against] the <Index>{index}</Index>, {co} is [overweight|underweight] in [{sector}|{country}|{region}|cash] by {pct}.
<Risk>[The value of foreign securities|The price of small stocks|The market value of bonds|Income from the portfolio] [may fall|can decline|fluctuates] [sharply|for long periods|with interest rates|when the dollar rises]</Risk>[|, and an investor can lose money|, as in {recent}].
[Because|Since] the fund [is concentrated in|focuses on] {sector}, <Risk>[its share price|its net asset value] [may be more volatile|can swing more] than [that of a diversified fund|the {index}]</Risk>.
<Cost>[Annual|Total|Net] expenses [are capped at|are limited to|were] {pct}</Cost>[ of average net assets| until {date}|, after waivers by {family}].
A [sales|deferred sales|redemption] charge of {pct} [applies|is levied] [to shares held less than {some} days|to purchases below {usd}|on class B shares]; <Cost> [brokerage|custody|advisory] fees </Cost>[come on top|are included|are paid by the adviser].
[Dividends|Distributions] are [declared daily and paid monthly|paid quarterly|paid in {month}|reinvested unless the holder asks otherwise]; <Dividend>the last, on {date}, [was|amounted to] {pct} of net asset value</Dividend>.
<Dividend>Capital gains of {usd} were distributed in {recent}</Dividend>, [the first since {recent}|most of them long-term|nearly twice as much as in {recent}].
The [average|weighted average] credit [quality|rating] is <Rating>{rating}</Rating>, and {pct} of the portfolio is rated [below|above] <Rating>{rating}</Rating>.
[Independent|Outside] analysts [rate|rank] the fund <Rating> [above average|four stars|three stars|in the top quintile|{rating}] </Rating>[for|over] the {few} years to {month} {recent}.
[Over|In] the [past|last] {few} years {co} [returned|gained|earned] {pct} [annually|a year], [against|while the {index} returned|compared with] {pct}.
In {recent} the fund [lost|gave up] {pct}, [its worst|the weakest] [year|result] since {year}, [mainly because of|largely owing to] [its stake in {rival}|bonds from {country}|{sector} stocks].
[Assets|Net assets|Assets under management] [rose|fell|grew] to <Assets>{usd}</Assets> [in {month}|by {date}], [as|after] investors [added|withdrew] {usd}.
The adviser [uses|relies on|applies] <Strategy>[bottom-up research|a quantitative model|top-down analysis|a contrarian approach]</Strategy> [that|which] [screens|ranks|scores] {many} [securities|issuers] by [earnings momentum|book value|cash flow|credit spreads|dividend yield].
[Positions|Securities] are sold when [they reach a price target|fundamentals deteriorate|a better idea comes up|the issuer is downgraded below {rating}|they exceed {pct} of assets].
{Co} [keeps|maintains] an average [duration|maturity] of [{few} years|between {few} and {some} months], [shorter|longer] than that of the <Index>{index}</Index>.
[Exposure|Allocation] to {country} [was raised|was cut|stands at] {pct} [in {month} {recent}|as of {date}], with [emphasis on|preference for] companies {verbing} {product}.
[Typical|Recent] [purchases|additions] are [makers|suppliers|distributors] of {product}, such as {rival} in {city}.
[In {month} {recent}|On {date}] the managers [bought|sold] [a block of|their position in|bonds of] {rival} [at|near] {usd} [ahead of|following] [its results|a bid|a profit warning].
The fund is [non-diversified|diversified|classified as diversified] under the Investment Company Act and [may|must not] [borrow|lend securities] [up to|beyond] {pct} of its assets.
[Shares|Units] may be [bought|redeemed|exchanged] [on any business day|by telephone|through {family}|without charge] [at|for] [the next computed|that day's] net asset value.
[An account|Accounts] below {usd} [may be charged|pays] a [maintenance|small-balance] fee of {few} dollars a year.
<Keyword>{brand}</Keyword>, the [system|model] behind the [selection|allocation], [was developed|is run] [by {person}|in {city}|together with {rival}].
[Cash|Reserves] [amounted to|stood at] {pct} of assets [in {month}|at the last report], [above|below] the [usual|average] level of {pct}.
[Turnover|Portfolio turnover] was {pct} in {recent}, [lower|higher] than [in the category|in {recent}|the manager's norm], [which|and this] [adds to|reduces] <Cost>transaction costs</Cost>.
The fund's [bylaws|prospectus|charter] [forbids|restricts|permits] [short sales|holdings in tobacco|unlisted securities|leverage] [beyond {pct} of assets|except for hedging|without the consent of the trustees].
[Currency|Interest rate|Credit] risk is [partly|fully|not] hedged; [forwards|futures|swaps] [of|worth] {usd} were [open|outstanding] on {date}.
[Merging|The merger] with {family} {brand} [in|during] {month} {recent} [brought in|added] {many} shareholders and <Assets> {usd} </Assets>of assets.
[Investors|Holders] should [expect|be prepared for] [fluctuations|losses|declines] of {pct} or more [in a bad year|within {few} months], [which is why|and] a horizon of {few} years [is advised|is appropriate].
[Municipal|Corporate|Sovereign|Mortgage-backed] [issues|paper] [from|of] [{country}|{city}|{region}] [yielded|returned] {pct} [on average|in {recent}] and [form|formed] the [core|bulk|second largest part] of the portfolio.
The {sector} [weighting|position], {pct} of assets, [reflects|rests on] [rising|falling] [prices of|demand for] {input} and {product}.
[The trustees|The board] [renewed|approved|reviewed] the advisory contract with {family} on {date}, [noting|citing] [fees|returns] [below|above] those of {few} comparable funds.
[Class|Institutional] shares [require|call for] a [minimum|first] investment of {usd} and [bear|carry] <Cost>{pct} in annual costs</Cost>.
[During|Throughout] {recent}, [stock selection|sector allocation|yield-curve positioning] [helped|hurt] in {region}, [whereas|while] [currencies|cash|{product}] [detracted|contributed] {pct}.
[Companies|Issuers] that [derive|earn] more than {pct} of revenue from [weapons|alcohol|coal|gambling] are [excluded|avoided|limited to {pct} of assets].
<Strategy>The fund [buys|favors|seeks] [companies with|firms that have] [strong balance sheets|recurring revenue|pricing power|hidden assets]</Strategy> in [fragmented|mature|growing] [markets|industries] such as {product}.
A [sister|feeder|companion] fund in {country}, {family} {brand}, [follows|mirrors] the same [policy|process] [with|and has] <Assets>{usd}</Assets>.
[Securities lending|Stock lending] [earned|brought in] {usd} in {recent}, [of which|and] {pct} [went|goes] to [the fund|{family}].
[The custodian|The transfer agent|The auditor] is {rival}, {city}.
[Fair value|Matrix] pricing is [used|applied] for {pct} of the [holdings|bonds], [mostly|chiefly] [thinly traded|foreign|distressed] [issues|securities].
[Since|From] {date} [purchases|new accounts] [have been|are] [closed|restricted] to [existing|institutional] shareholders, because [capacity|liquidity] in [small stocks|{country}|{sector}] is limited.
Though the fund seeks to [track|exceed] the index, its performance typically will [fall short|differ] by a [small|modest] percentage representing operating costs, [and|because] [it holds some cash|transactions are not free|not every security in the index is held].
The fund is [appropriate|suitable|intended] for investors who have a long investment horizon, who are seeking [growth in capital|current income|a core holding] as a primary objective, and who are prepared to [endure|accept] the [sharp and sometimes prolonged|occasional] declines in share prices that occur from time to time in the [stock|bond|financial] market.
In [managing|constructing] the portfolio, the adviser considers [economic conditions|valuation|liquidity], the [financial strength|earnings prospects|competitive position] of each issuer and the [relative attractiveness|expected returns] of [different sectors|available alternatives], and may sell a security when [these factors|the reasons for holding it] [change|no longer apply].
Losses or gains involving [futures and options contracts|derivatives] can be substantial, in part because a relatively small price movement in a contract may result in an immediate and substantial loss or gain for the fund; for this reason the fund will not use such investments for [speculative|leveraging] purposes.
[Foreign|International] investing involves [additional|special] risks, including [less stringent accounting standards|the risk of political or economic developments abroad|fluctuations in exchange rates], [lower trading volumes|higher transaction costs|withholding taxes] and [less protection of shareholders|settlement practices that differ from those at home].
When interest rates rise, the prices of [fixed income securities|bonds] [generally|usually] [fall|decline], and the [longer|greater] the [maturity|duration] of a security, the [greater|larger] the [effect|decline]; [falling|lower] rates, on the other hand, [reduce|will reduce] the income that the fund [earns|can distribute] over time.
The fund [attempts|seeks] to [reduce|limit] risk by [diversifying|spreading its investments] across [many issuers and industries|countries and currencies|different maturities and credit qualities], but diversification [does not assure|cannot guarantee] a profit or protect against a loss in a declining market.
[For temporary defensive purposes|As a temporary defensive measure], the fund may [depart|deviate] from its principal investment strategies and hold [cash and cash equivalents|short-term government obligations|money market instruments] without limit, [in which case|and then] it may not achieve its investment objective.
The level of current income produced by funds in this category [ranges|varies] from [moderate to very low|low to moderate|high to very high], and the price volatility is the trade-off for the potentially [high|higher] returns that [common stocks|these securities] can provide.
[Past performance|The record of the fund], before and after taxes, is [not|not necessarily] an indication of how the fund will perform in the future, and an investment in the fund is not a deposit of a bank and is not insured or guaranteed by [any government agency|the adviser or its affiliates].
[Small|Medium-sized|Young] companies [often|may] have [limited product lines, markets or financial resources|narrower markets and less experienced management], and their securities may be [more volatile|less liquid] and [more sensitive|react more] to [changing economic conditions|earnings reports] than those of larger, more established companies.
The portfolio managers [meet|confer] [with the management of companies|with analysts and economists] [regularly|before making an investment], and [favor|look for] businesses whose [long-term prospects|growth and quality] they believe [are not reflected|to be insufficiently recognized] in the [current|market] price of the [shares|securities].
`)

var managerOpenings = newGrammar(`
<Manager>{chief} [Lead Manager|Portfolio Manager|Co-Manager] since {date} </Manager> {chief} is [a managing director|a vice president|a partner|head of research] of {family}, [his|the manager's] employer since {year}.
<Manager>{chief}</Manager> has managed the fund since {month} {recent}, [assisted by|jointly with] <Manager>{person}</Manager>. [Before|Earlier], {chief} [was|worked as] an analyst [at|with] {rival} in {city}.
The fund is [run|managed] by a team of {few} [led|headed] by <Manager> {chief} </Manager>[, who joined {family} in {year}|, a chartered financial analyst|].
`)

var managerSentences = newGrammar(`
[A graduate|An alumnus] of [the university of|a business school in] {city}, {chief} [joined|came to] {family} in {year}.
{person} [covers|is responsible for|follows] {sector} and {region}.
<Manager>{person} [Assistant|Associate] Manager since {date} </Manager>, who [previously|formerly] [traded|analyzed] {product} companies [for|at] {rival}.
The team [also manages|manages|runs|advises] {few} other [funds|accounts] with [assets|combined assets] of {usd}.
[Research|Trading] is [shared|coordinated] with offices in {city} and {city}.
[Managers|Analysts] [must|are required to] [invest|hold] {pct} of their bonus in the fund for {few} years.
{chief} [received|won] an award [as|for] [best manager of|the best results in] {recent} [from a trade journal|over {few} years|in {country}].
[Bonuses|Salaries] depend on returns [against|relative to] the {index} over {few} years.
[In|Since] {recent}, {person} has [shared|taken over] [responsibility|the day-to-day management] [for|of] holdings in {country}.
`)
